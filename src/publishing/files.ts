import * as t from 'io-ts'
import { stringify } from 'yaml'
import { BotReply } from '../../contracts/commands/bot-reply.ts'
import { DomainEvent } from '../../contracts/events/index.ts'
import { versionNames } from '../../contracts/events/upcast.ts'
import {
  botReplies,
  deadLetters,
  enrichments,
  quarantine,
  type Topic,
  topicOf,
  topics,
} from '../../contracts/topics.ts'
import { asyncapi } from './asyncapi/document.ts'
import { type Published, published, typeOf } from './catalogue.ts'
import { leaves, leavesOfRequests } from './codecs.ts'
import { eventsPage } from './events-page.ts'
import { compile, type PartOf } from './json-schema.ts'
import { bridgeOpenapi } from './openapi/bridge.ts'
import { serviceOpenapi } from './openapi/service.ts'
import type { Samples } from './read-contracts.ts'
import { dialect, type JsonObject, type Schema } from './schema.ts'

/** A topic as it is published: `keptMs` null is for ever; the schemas of its values, or of the headers where values are raw. */
export type PublishedTopic = {
  readonly key: string
  readonly compacted: boolean
  readonly keptMs: number | null
  readonly schemas: ReadonlyArray<string>
}

const schemasOf = ({ name }: Topic): ReadonlyArray<string> => {
  if (name === botReplies.name) return BotReply.types.map((command) => command.name)
  if (name === enrichments.name) return ['Enrichment']
  if (name === quarantine.name) return ['QuarantineHeaders']
  if (name === deadLetters.name) return ['DeadLetterHeaders']
  return DomainEvent.types
    .map(typeOf)
    .filter((type) => topicOf({ type }).name === name)
    .flatMap((type) => versionNames(type))
}

/** Every topic by its name after the prefix: what AsyncAPI says of it, for programs that read JSON only. */
export const publishedTopics = (): Readonly<Record<string, PublishedTopic>> =>
  Object.fromEntries(
    topics.map((topic: Topic) => {
      const { key, cleanUp } = topic
      const keptMs = typeof cleanUp === 'object' ? cleanUp.deleteAfterMs : null
      return [topic.name, { key, compacted: cleanUp === 'compact', keptMs, schemas: schemasOf(topic) }]
    }),
  )

const exactly =
  'Whoever writes it writes these fields only, and leaves out those that have no value. Whoever reads it ignores fields that it does not know: later versions of the bridge may add some.'
const openly = 'Other fields may stand beside these.'

/** What a published codec's docstring says, and how the schema is to be read. */
const descriptionOf = ({ codec, describedBy }: Published, partOf: PartOf): string => {
  const description = partOf(describedBy)?.description
  if (description === undefined) throw new Error(`the codec ${describedBy.name} is not exported by contracts/`)
  return `${description}\n\n${codec instanceof t.ExactType ? exactly : openly}`
}

/** One schema with everything that it refers to in its `$defs`. */
export const schemaDocument = (entry: Published, partOf: PartOf): Schema => {
  const partsOnly: PartOf = (codec) => (codec === entry.codec ? undefined : partOf(codec))
  const { schemas, definitions } = compile(
    [entry.codec],
    partsOnly,
    '$defs',
    entry.asRequest ? leavesOfRequests : leaves,
    partOf(entry.describedBy)?.fieldDoc,
  )
  return {
    $schema: dialect,
    $id: entry.id,
    title: entry.name.replace(/\.v\d+$/, ''),
    description: descriptionOf(entry, partOf),
    ...schemas[0],
    ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
  }
}

/** Every published schema by its name. */
export const schemaDocuments = (partOf: PartOf): ReadonlyMap<string, Schema> =>
  new Map(published.map((entry) => [entry.name, schemaDocument(entry, partOf)]))

const yaml = (document: JsonObject): string =>
  `# Generated from contracts/ by \`npm run contracts\`: change the codecs, not this file.\n${stringify(document, {
    lineWidth: 0,
    compat: 'yaml-1.1',
    blockQuote: 'literal',
    aliasDuplicateObjects: false,
  })}`

const json = (document: JsonObject): string => `${JSON.stringify(document, null, 2)}\n`

/** Everything that is published: the text of each file by its path in contracts/published/. Pure. */
export const publishedFiles = (
  partOf: PartOf,
  samples: { readonly webhooks: Samples; readonly bot: Samples },
): ReadonlyMap<string, string> =>
  new Map([
    ['asyncapi.yaml', yaml(asyncapi(partOf))],
    ['openapi.yaml', yaml(bridgeOpenapi(partOf, samples))],
    ['openapi-service.yaml', yaml(serviceOpenapi(partOf))],
    ['events.md', eventsPage(partOf)],
    ['topics.json', json(publishedTopics())],
    ...[...schemaDocuments(partOf)].map(([name, schema]) => [`schemas/${name}.json`, json(schema)] as const),
  ])
