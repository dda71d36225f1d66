import { Document, Scalar, visit } from 'yaml'
import { versionNames } from '../../../contracts/events/upcast.ts'
import { eventTypesOn, keys, recordNames, type Topic, topics } from '../../../contracts/topics.ts'
import { botEvents, webhookEvents } from '../../../contracts/wire-events.ts'
import { asyncapi } from './asyncapi/document.ts'
import { eventsPage } from './events-page.ts'
import type { PartOf } from './json-schema.ts'
import { bridgeOpenapi } from './openapi/bridge.ts'
import { serviceOpenapi } from './openapi/service.ts'
import type { JsonObject } from './schema.ts'
import { schemaDocuments } from './schemas.ts'

/**
 * A topic as it is published. `keptMs` is null for records that are kept permanently. `schemas` are those of its
 * values, or of its headers if the values are raw.
 */
export type PublishedTopic = {
  readonly key: string
  readonly compacted: boolean
  readonly keptMs: number | null
  readonly schemas: ReadonlyArray<string>
}

const schemasOf = (topic: Topic): ReadonlyArray<string> => {
  const { content } = topic
  if (content.kind === 'events') return eventTypesOn(topic).flatMap((type) => versionNames(type))
  return content.kind === 'bytes' ? [content.headers.name] : recordNames(topic)
}

/** Every topic by its name after the prefix: facts of the AsyncAPI document, for programs that read only JSON. */
export const publishedTopics = (): Readonly<Record<string, PublishedTopic>> =>
  Object.fromEntries(
    topics.map((topic: Topic) => {
      const { key, cleanUp } = topic
      const keptMs = typeof cleanUp === 'object' ? cleanUp.deleteAfterMs : null
      return [topic.name, { key: keys[key], compacted: cleanUp === 'compact', keptMs, schemas: schemasOf(topic) }]
    }),
  )

/** Characters that nobody sees, of which YAML 1.1 takes some for the end of a line. */
const invisible = /[\u1680\u2000-\u200f\u2028\u2029\u202f\u205f\u3000\ufefe-\uff00]/g

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

const yaml = (content: JsonObject): string => {
  const document = new Document(content, { aliasDuplicateObjects: false, compat: 'yaml-1.1' })
  visit(document, {
    Scalar: (_, node) => {
      // Only text in double quotes can have escapes.
      if (typeof node.value === 'string' && node.value.search(invisible) >= 0) node.type = Scalar.QUOTE_DOUBLE
    },
  })
  const text = document.toString({ lineWidth: 0, blockQuote: 'literal' }).replace(invisible, escaped)
  return `# Generated from contracts/ by \`npm run contracts\`: change the codecs, not this file.\n${text}`
}

const json = (document: JsonObject): string => `${JSON.stringify(document, null, 2)}\n`

/** The plain sample of each event of the service: the text of each file by its path in contracts/. */
export const sampleFiles: ReadonlyMap<string, string> = new Map(
  [
    ...webhookEvents.map((event) => ['webhooks', event] as const),
    ...botEvents.map((event) => ['bot-api', event] as const),
  ].map(([api, { name, sample }]) => [`${api}/samples/${name}.json`, json(sample as JsonObject)]),
)

/** Everything that is published: the text of each file by its path in contracts/published/. Pure. */
export const publishedFiles = (partOf: PartOf): ReadonlyMap<string, string> =>
  new Map([
    ['asyncapi.yaml', yaml(asyncapi(partOf))],
    ['openapi.yaml', yaml(bridgeOpenapi(partOf))],
    ['openapi-service.yaml', yaml(serviceOpenapi(partOf))],
    ['events.md', eventsPage(partOf)],
    ['topics.json', json(publishedTopics())],
    ...[...schemaDocuments(partOf)].map(([name, schema]) => [`schemas/${name}.json`, json(schema)] as const),
  ])
