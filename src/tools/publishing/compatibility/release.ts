import { isJsonObject } from '../../../bridge/shared/json.ts'
import type { PublishedTopic } from '../files.ts'
import type { Json, JsonObject, Schema } from '../schema.ts'

/** What was released, as far as the gate compares it: schemas and topics by their names. */
export type Release = {
  readonly version: string
  /** Why this version was changed after it was recorded and before anybody outside relied on it. */
  readonly corrections: ReadonlyArray<string>
  readonly schemas: ReadonlyMap<string, Schema>
  readonly topics: ReadonlyMap<string, PublishedTopic>
}

/** Keywords that inform only people. They may change at any time. */
const words = new Set(['$schema', '$id', 'title', 'description', '$comment', 'x-personal'])

const mapped = (schemas: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, shapeOf(schema)]))

/** A schema without its words. A field named `title` stays. */
const shapeOf = (schema: Json): Json => {
  if (Array.isArray(schema)) return schema.map(shapeOf)
  if (!isJsonObject(schema)) return schema
  const kept = Object.entries(schema).filter(([keyword]) => !words.has(keyword))
  return Object.fromEntries(
    kept.map(([keyword, value]) => [
      keyword,
      (keyword === 'properties' || keyword === '$defs') && isJsonObject(value) ? mapped(value) : shapeOf(value),
    ]),
  )
}

const lines = (entries: Iterable<readonly [string, unknown]>) =>
  [...entries].map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(',\n')

/** A release as the text of its file. Each schema and topic has one line, so that a diff shows what changed in it. */
export const releaseText = ({ version, corrections, schemas, topics }: Release): string => {
  const shapes = [...schemas].map(([name, schema]) => [name, shapeOf(schema)] as const)
  const reasons = corrections.map((reason) => `    ${JSON.stringify(reason)}`).join(',\n')
  const corrected = reasons === '' ? '' : `  "corrections": [\n${reasons}\n  ],\n`
  return `{\n  "version": ${JSON.stringify(version)},\n${corrected}  "topics": {\n${lines(topics)}\n  },\n  "schemas": {\n${lines(shapes)}\n  }\n}\n`
}

/** Reads the text of such a file. Throws if it is no release. */
export const parseRelease = (text: string): Release => {
  const { version, corrections = [], schemas, topics } = JSON.parse(text)
  return { version, corrections, schemas: new Map(Object.entries(schemas)), topics: new Map(Object.entries(topics)) }
}
