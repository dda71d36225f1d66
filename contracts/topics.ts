import * as t from 'io-ts'
import { ArchivedEvent } from './archive.ts'
import { BotReply, exampleCommands } from './commands/bot-reply.ts'
import { Enrichment, exampleEnrichment } from './commands/enrichment.ts'
import { ErasureConfirmation, exampleConfirmation } from './commands/erasure-confirmation.ts'
import { exampleAction, OperatorAction } from './commands/operator-action.ts'
import {
  CallStatusChanged,
  ChatEvent,
  ClientUpdated,
  ConversationEvent,
  DomainEvent,
  OfflineMessageReceived,
} from './events/index.ts'
import { ceTypeOfVersion, schemaId } from './events/upcast.ts'
import { versionOf } from './events/versions.ts'
import { DeadLetterHeaders, exampleDeadLetter, exampleQuarantine, QuarantineHeaders } from './records.ts'

const day = 24 * 60 * 60 * 1000

/** What the key of a record is. Records with the same key stay in order. */
export const keys = {
  chat: '<account id>/<chat id>',
  client: '<account id>/<client id>',
  enrichment: '<account id>/<field>:<value>',
  account: '<account id>',
  original: 'the original key',
} as const

/**
 * How long Kafka keeps the records of a topic: permanently, only the newest of each key, or some milliseconds.
 * Separately, the archiver deletes archived records of event topics.
 */
export type CleanUp = 'forever' | 'compact' | { readonly deleteAfterMs: number }

type Example = Readonly<Record<string, unknown>>

/**
 * What the records of a topic are. `events` are CloudEvents, and each topic of them has an archive. The value of `json`
 * is what `codec` accepts; each message has the name of its codec, and an example. The value of `bytes` is anything,
 * and the headers say what it is.
 */
export type Content =
  | { readonly kind: 'events'; readonly codec: t.Mixed }
  | { readonly kind: 'archived events'; readonly codec: t.Mixed }
  | {
      readonly kind: 'json'
      readonly codec: t.Mixed
      readonly examples: Readonly<Record<string, Example>>
      /** The message without a value, which removes what its key had. */
      readonly removal?: { readonly name: string; readonly title: string; readonly summary: string }
      /** What those who write such records should know. */
      readonly note?: string
    }
  | { readonly kind: 'bytes'; readonly message: string; readonly headers: t.Mixed; readonly example: Example }

/**
 * What an erasure does with the records of a topic. `markers`: it appends ChatErased or ClientErased, and the archiver
 * deletes what is older. `key`: the archiver destroys the key of the encryption. `null`: it appends a record without a
 * value, and Kafka compacts the topic. `expires`: nothing can be done but to wait until Kafka deletes the records by
 * age. `nothing`: the records have no personal data.
 */
type Erasure =
  | { readonly erasure: 'expires'; readonly cleanUp: { readonly deleteAfterMs: number } }
  | { readonly erasure: 'null'; readonly cleanUp: 'compact' }
  | { readonly erasure: 'markers' | 'key' | 'nothing'; readonly cleanUp: CleanUp }

/** A topic: everything that is true of it alone. The name comes after TOPIC_PREFIX. */
export type Topic = Erasure & {
  readonly name: string
  readonly key: keyof typeof keys
  readonly content: Content
  readonly writtenBy: 'the bridge' | 'others'
  /**
   * The largest batch in MiB, compressed. Managed clusters allow no more than 8. A request may have 8 MiB, and JSON is
   * far smaller once it is compressed. An archived record and a dead letter have more than the event itself.
   */
  readonly largestMiB: 4 | 7 | 8
  /** The content in words, for the table of downstream teams. Of events: their names. */
  readonly about?: string
}

const topic = <const T extends Topic>(value: T) => value

const ofEvents = <const Name extends string, const Key extends 'chat' | 'client', C extends t.Mixed>(
  name: Name,
  key: Key,
  codec: C,
) =>
  topic({
    name,
    key,
    content: { kind: 'events', codec },
    writtenBy: 'the bridge',
    cleanUp: 'forever',
    erasure: 'markers',
    largestMiB: 7,
  })

export const chats = ofEvents('chats', 'chat', ChatEvent)
export const calls = ofEvents('calls', 'chat', CallStatusChanged)
export const clients = ofEvents('clients', 'client', ClientUpdated)
export const offlineMessages = ofEvents('offline-messages', 'chat', OfflineMessageReceived)
export const botConversations = ofEvents('bot-conversations', 'chat', ConversationEvent)

export const botReplies = topic({
  name: 'bot-replies',
  key: 'chat',
  content: {
    kind: 'json',
    codec: BotReply,
    examples: exampleCommands,
    note: 'No header is required. `content-type: application/json` is recommended.',
  },
  writtenBy: 'others',
  cleanUp: { deleteAfterMs: 7 * day },
  erasure: 'expires',
  largestMiB: 4,
  about: 'commands of bots: [rules for bots](bot-reference.md)',
})

export const enrichments = topic({
  name: 'enrichments',
  key: 'enrichment',
  content: {
    kind: 'json',
    codec: Enrichment,
    examples: { Enrichment: exampleEnrichment },
    removal: {
      name: 'EnrichmentRemoval',
      title: 'Removal of an enrichment',
      summary: 'A record with a null value removes the enrichment of this key.',
    },
  },
  writtenBy: 'others',
  cleanUp: 'compact',
  erasure: 'null',
  largestMiB: 4,
  about: 'what agents see of a visitor, below',
})
/**
 * The key of a record without a value. The bridge regularly appends one to each partition of `enrichments`, so that
 * Kafka closes the segment and compacts it. So removed enrichments also disappear from the disks. The record is about
 * nobody.
 */
export const segmentMarker = 'segment-marker'

export const erasureConfirmations = topic({
  name: 'erasure-confirmations',
  key: 'client',
  content: {
    kind: 'json',
    codec: ErasureConfirmation,
    examples: { ErasureConfirmation: exampleConfirmation },
  },
  writtenBy: 'others',
  cleanUp: { deleteAfterMs: 14 * day },
  erasure: 'nothing',
  largestMiB: 4,
  about: 'which consumer groups have erased a person',
})

export const audit = topic({
  name: 'audit',
  key: 'account',
  content: {
    kind: 'json',
    codec: OperatorAction,
    examples: { OperatorAction: exampleAction },
  },
  writtenBy: 'the bridge',
  cleanUp: { deleteAfterMs: 400 * day },
  erasure: 'nothing',
  largestMiB: 4,
  about: 'what operators did: OperatorAction',
})

export const quarantine = topic({
  name: 'quarantine',
  key: 'account',
  content: {
    kind: 'bytes',
    message: 'QuarantinedRequest',
    headers: QuarantineHeaders,
    example: exampleQuarantine,
  },
  writtenBy: 'the bridge',
  cleanUp: { deleteAfterMs: 14 * day },
  erasure: 'expires',
  largestMiB: 8,
  about: 'requests that could not be understood; not for you',
})

export const deadLetters = topic({
  name: 'dead-letters',
  key: 'original',
  content: {
    kind: 'bytes',
    message: 'DeadLetter',
    headers: DeadLetterHeaders,
    example: exampleDeadLetter,
  },
  writtenBy: 'the bridge',
  cleanUp: { deleteAfterMs: 14 * day },
  erasure: 'expires',
  largestMiB: 8,
  about: 'records that could not be processed; not for you',
})

/** Every topic but the archives, which follow from the topics of events. Everything else is derived from this list. */
const listed = [
  chats,
  calls,
  clients,
  offlineMessages,
  botConversations,
  botReplies,
  enrichments,
  erasureConfirmations,
  audit,
  quarantine,
  deadLetters,
] as const

type Listed = (typeof listed)[number]
export type EventTopic = Extract<Listed, { readonly content: { readonly kind: 'events' } }>
export type EventTopicName = EventTopic['name']

const isOfEvents = (one: Listed): one is EventTopic => one.content.kind === 'events'
export const eventTopics: ReadonlyArray<EventTopic> = listed.filter(isOfEvents)
export const eventTopicNames: ReadonlyArray<EventTopicName> = eventTopics.map(({ name }) => name)

export const isEventTopic = (topic: TopicName): topic is EventTopicName =>
  eventTopics.some(({ name }) => name === topic)

/** The name of the topic with the encrypted copies of an event topic. */
export const archiveNameOf = <const Name extends string>(topic: Name) => `archive-${topic}` as const

const copied = new Map<string, EventTopicName>(eventTopics.map(({ name }) => [archiveNameOf(name), name]))
/** The event topic whose records an archive topic has. Undefined if it is no archive topic. */
export const copiedTopicOf = (archive: string): EventTopicName | undefined => copied.get(archive)

/** The encrypted copies of the event topics, partition by partition. */
export const archiveTopics = eventTopics.map(({ name, key }) =>
  topic({
    name: archiveNameOf(name),
    key,
    content: { kind: 'archived events', codec: ArchivedEvent },
    writtenBy: 'the bridge',
    cleanUp: 'forever',
    erasure: 'key',
    largestMiB: 8,
    about: 'the same events, personal fields encrypted; not for you',
  }),
)

type AnyTopic = Listed | (typeof archiveTopics)[number]
export const topics: ReadonlyArray<AnyTopic> = [
  ...eventTopics,
  ...archiveTopics,
  ...listed.filter((one) => !isOfEvents(one)),
]

export type TopicName = AnyTopic['name']

const byName = new Map<string, Topic>(topics.map((one) => [one.name, one]))

/** A topic by its name without the prefix; undefined if the bridge has none of this name. */
export const topicOfName = (name: string): Topic | undefined => byName.get(name)

/** The names of the topics for which something is true. */
const namesOf = (isMeant: (topic: Topic) => boolean): ReadonlySet<TopicName> =>
  new Set(topics.filter(isMeant).map(({ name }) => name))

/** The topics whose key is a chat. */
export const keyedByChat = namesOf(({ key }) => key === 'chat')

/** The topics that have the events of chats and clients, and what else is said in a chat, as they are. */
export const storyTopics = namesOf(
  ({ key, content }) => content.kind === 'events' || (content.kind === 'json' && key === 'chat'),
)

type Expiring = Extract<Listed, { readonly erasure: 'expires' }>
/** Their records may have personal data. An erasure is complete when Kafka has deleted them by age. */
export const expiringTopics: ReadonlyArray<Expiring> = listed.filter(
  (one): one is Expiring => one.erasure === 'expires',
)

type Compacted = Extract<Listed, { readonly erasure: 'null' }>
/** An erasure removes their records key by key. */
export const compactedTopics: ReadonlyArray<Compacted> = listed.filter(
  (one): one is Compacted => one.erasure === 'null',
)

/** The codecs of a topic's values, one for each kind of record. None if the values are bytes. */
export const codecsOf = ({ content }: Topic): ReadonlyArray<t.Mixed> => {
  if (content.kind === 'bytes') return []
  const { codec } = content
  return codec instanceof t.UnionType ? (codec.types as ReadonlyArray<t.Mixed>) : [codec]
}

/** The names of the records of a topic: of its events without the markers, its messages, or what the bytes are. */
export const recordNames = (topic: Topic): ReadonlyArray<string> =>
  topic.content.kind === 'bytes' ? [topic.content.message] : codecsOf(topic).map(({ name }) => name)

/** The topics that have records of this name which are no events. */
export const topicsOfRecords = (name: string): ReadonlyArray<TopicName> =>
  topics.filter((one) => one.content.kind !== 'events' && recordNames(one).includes(name)).map((one) => one.name)

type ChatTopic = Extract<EventTopic, { readonly key: 'chat' }>
/** The topics that have the events of a chat. */
export const chatTopics: ReadonlyArray<ChatTopic> = eventTopics.filter((one): one is ChatTopic => one.key === 'chat')

/** By the type of the events. An erasure appends its markers to each topic of a chat or client. */
const topicsByType = new Map<string, ReadonlyArray<EventTopic>>([
  ...eventTopics.flatMap((one) => recordNames(one).map((type) => [type, [one]] as const)),
  ['ChatErased', chatTopics],
  ['ClientErased', eventTopics.filter(({ key }) => key === 'client')],
])

/** The topics that have events of this type: one topic, except for the markers of an erasure. */
export const topicsOf = (type: DomainEvent['type']): ReadonlyArray<EventTopic> => topicsByType.get(type) ?? []

/** The types of the events on a topic, with the markers of an erasure. */
export const eventTypesOn = ({ name }: Topic): ReadonlyArray<DomainEvent['type']> =>
  DomainEvent.types
    .map((codec) => codec.name as DomainEvent['type'])
    .filter((type) => topicsOf(type).some((one) => one.name === name))

/** The topic of an event. */
export const topicOf = (event: DomainEvent): EventTopic => {
  const all = topicsOf(event.type)
  const found = event.type === 'ChatErased' ? all.find(({ name }) => name === event.data.topic) : all[0]
  if (found === undefined) throw new Error(`${event.type} has no topic`)
  return found
}

/** The message key of an event: `acme/2037`. Records with the same key stay in order. */
export const keyOf = ({ data, subject }: DomainEvent): string => `${data.accountId}/${subject}`

/** The version of an event that the bridge writes today: `ChatAccepted.v1`. */
export const versionName = (type: DomainEvent['type']): string => `${type}.v${versionOf(type)}`

/** The type attribute of CloudEvents: `livechat.ChatAccepted.v1`. */
export const ceType = (type: DomainEvent['type']): string => ceTypeOfVersion(versionName(type))

/** The dataschema attribute: the `$id` of the published JSON Schema. */
export const ceDataSchema = (type: DomainEvent['type']): string => schemaId(versionName(type))
