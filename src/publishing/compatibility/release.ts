import type { Json, JsonObject, Schema } from '../schema.ts'

/** What was released: schemas by name, as far as the gate compares them. */
export type Release = { readonly version: string; readonly schemas: ReadonlyMap<string, Schema> }

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Keywords that say something to people only: they may change at any time. */
const words = new Set(['$schema', '$id', 'title', 'description'])

const mapped = (schemas: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, shapeOf(schema)]))

/** A schema without its words; a field may be called `title`, too, and stays. */
const shapeOf = (schema: Json): Json => {
  if (Array.isArray(schema)) return schema.map(shapeOf)
  if (!isObject(schema)) return schema
  const kept = Object.entries(schema).filter(([keyword]) => !words.has(keyword))
  return Object.fromEntries(
    kept.map(([keyword, value]) => [
      keyword,
      (keyword === 'properties' || keyword === '$defs') && isObject(value) ? mapped(value) : shapeOf(value),
    ]),
  )
}

/** A release as the text of its file: a line for each schema, so that a release's diff names what changed. */
export const releaseText = ({ version, schemas }: Release): string => {
  const lines = [...schemas].map(([name, schema]) => `    ${JSON.stringify(name)}: ${JSON.stringify(shapeOf(schema))}`)
  return `{\n  "version": ${JSON.stringify(version)},\n  "schemas": {\n${lines.join(',\n')}\n  }\n}\n`
}

/** Reads such a file; throws where it is none. */
export const parseRelease = (text: string): Release => {
  const { version, schemas }: { readonly version: string; readonly schemas: Readonly<Record<string, Schema>> } =
    JSON.parse(text)
  return { version, schemas: new Map(Object.entries(schemas)) }
}
