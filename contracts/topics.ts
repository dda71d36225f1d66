import type * as t from 'io-ts'
import { ArchivedEvent } from './archive.ts'
import { BotReply } from './commands/bot-reply.ts'
import { Enrichment } from './commands/enrichment.ts'
import { ErasureConfirmation } from './commands/erasure-confirmation.ts'
import { OperatorAction } from './commands/operator-action.ts'
import {
  CallStatusChanged,
  ChatEvent,
  ClientUpdated,
  ConversationEvent,
  type DomainEvent,
  OfflineMessageReceived,
} from './events/index.ts'
import { ceTypeOfVersion } from './events/upcast.ts'
import { versionOf } from './events/versions.ts'

const day = 24 * 60 * 60 * 1000

/**
 * How long Kafka keeps the records of a topic: permanently, only the newest of each key, or some milliseconds.
 * Separately, the archiver deletes archived records of event topics.
 */
export type CleanUp = 'forever' | 'compact' | { readonly deleteAfterMs: number }

/** A topic: its name after TOPIC_PREFIX, its key (the guarantee of order), the content of its records, its clean-up. */
export type Topic = {
  readonly name: string
  readonly key: string
  readonly carries: t.Mixed | 'raw bytes'
  readonly cleanUp: CleanUp
}

const topic = <const Name extends string>(name: Name, rest: Omit<Topic, 'name'>) => ({ name, ...rest })

const chatKey = '<account id>/<chat id>'

export const chats = topic('chats', { key: chatKey, carries: ChatEvent, cleanUp: 'forever' })
export const calls = topic('calls', { key: chatKey, carries: CallStatusChanged, cleanUp: 'forever' })
export const clients = topic('clients', {
  key: '<account id>/<client id>',
  carries: ClientUpdated,
  cleanUp: 'forever',
})
export const offlineMessages = topic('offline-messages', {
  key: chatKey,
  carries: OfflineMessageReceived,
  cleanUp: 'forever',
})
export const botConversations = topic('bot-conversations', {
  key: chatKey,
  carries: ConversationEvent,
  cleanUp: 'forever',
})
export const botReplies = topic('bot-replies', { key: chatKey, carries: BotReply, cleanUp: { deleteAfterMs: 7 * day } })
export const enrichments = topic('enrichments', {
  key: '<account id>/<field>:<value>',
  carries: Enrichment,
  cleanUp: 'compact',
})
/**
 * The key of a record without a value. The bridge regularly appends one to each partition of `enrichments`, so that
 * Kafka closes the segment and compacts it. So removed enrichments also disappear from the disks. The record is about
 * nobody.
 */
export const segmentMarker = 'segment-marker'
export const erasureConfirmations = topic('erasure-confirmations', {
  key: '<account id>/<client id>',
  carries: ErasureConfirmation,
  cleanUp: { deleteAfterMs: 14 * day },
})
export const audit = topic('audit', {
  key: '<account id>',
  carries: OperatorAction,
  cleanUp: { deleteAfterMs: 400 * day },
})
export const quarantine = topic('quarantine', {
  key: '<account id>',
  carries: 'raw bytes',
  cleanUp: { deleteAfterMs: 14 * day },
})
export const deadLetters = topic('dead-letters', {
  key: 'the original key',
  carries: 'raw bytes',
  cleanUp: { deleteAfterMs: 14 * day },
})

export const eventTopics = [chats, calls, clients, offlineMessages, botConversations] as const
export type EventTopic = (typeof eventTopics)[number]

/** The name of the topic with the encrypted copies of an event topic. */
export const archiveNameOf = <const Name extends string>(topic: Name) => `archive-${topic}` as const

const archiveOf = <const Name extends string>({ name, key }: { readonly name: Name; readonly key: string }) =>
  topic(archiveNameOf(name), { key, carries: ArchivedEvent, cleanUp: 'forever' })

/** The encrypted copies of the event topics, partition by partition. */
export const archiveTopics = [
  archiveOf(chats),
  archiveOf(calls),
  archiveOf(clients),
  archiveOf(offlineMessages),
  archiveOf(botConversations),
] as const

export type ArchiveTopicName = (typeof archiveTopics)[number]['name']

export const topics = [
  ...eventTopics,
  ...archiveTopics,
  botReplies,
  enrichments,
  erasureConfirmations,
  audit,
  quarantine,
  deadLetters,
] as const

export type TopicName = (typeof topics)[number]['name']

/**
 * Topics that are not event topics and whose records may have personal data. An erasure is complete when Kafka has
 * deleted their records by age.
 */
export const expiringTopics = [botReplies, quarantine, deadLetters] as const

/** The topics that have records of a chat, with the chat as their key. */
export const chatTopics = [chats, calls, offlineMessages, botConversations] as const

const topicByType = {
  ChatAccepted: chats,
  ChatAssigned: chats,
  ChatUpdated: chats,
  ChatFinished: chats,
  CallStatusChanged: calls,
  ClientUpdated: clients,
  OfflineMessageReceived: offlineMessages,
  ClientMessageReceived: botConversations,
  AgentInvited: botConversations,
  AgentJoined: botConversations,
  AgentUnavailable: botConversations,
  ChatClosed: botConversations,
  BotReplyDelivered: botConversations,
  BotReplyFailed: botConversations,
  BotReplySuppressed: botConversations,
  ClientErased: clients,
} as const satisfies Record<Exclude<DomainEvent['type'], 'ChatErased'>, EventTopic>

/** The topics that have events of this type: one topic, except for ChatErased. */
export const topicsOf = (type: DomainEvent['type']): ReadonlyArray<EventTopic> =>
  type === 'ChatErased' ? chatTopics : [topicByType[type]]

const chatTopicByName = new Map(chatTopics.map((each) => [each.name, each]))

/** The topic of an event. */
export const topicOf = (event: DomainEvent): EventTopic =>
  event.type === 'ChatErased' ? (chatTopicByName.get(event.data.topic) ?? chats) : topicByType[event.type]

/** The message key of an event: `acme/2037`. Records with the same key stay in order. */
export const keyOf = ({ data, subject }: DomainEvent): string => `${data.accountId}/${subject}`

/** The version of an event that the bridge writes today: `ChatAccepted.v1`. */
export const versionName = (type: DomainEvent['type']): string => `${type}.v${versionOf(type)}`

/** The type attribute of CloudEvents: `livechat.ChatAccepted.v1`. */
export const ceType = (type: DomainEvent['type']): string => ceTypeOfVersion(versionName(type))

/** The dataschema attribute: the `$id` of the published JSON Schema. */
export const ceDataSchema = (type: DomainEvent['type']): string => schemaId(versionName(type))

/** The `$id` of a published JSON Schema. */
export const schemaId = (name: string): string => `urn:livechat:schemas:${name}`

/**
 * Headers of a quarantine record; its value is the request's body, byte for byte. `problems` names fields, not values.
 */
export const quarantineHeaders = {
  id: 'id',
  interface: 'interface',
  receivedAt: 'received_at',
  reason: 'reason',
  problems: 'problems',
  contentType: 'content_type',
  contentEncoding: 'content_encoding',
  size: 'size',
} as const

/**
 * Headers that a dead letter has beside the original ones. Key and value are the original's, byte for byte. A record
 * that was sent back keeps the last two on its own topic, where consumers ignore them.
 */
export const deadLetterHeaders = {
  topic: 'dl_topic',
  partition: 'dl_partition',
  offset: 'dl_offset',
  timestamp: 'dl_timestamp',
  consumer: 'dl_consumer',
  cause: 'dl_cause',
  detail: 'dl_detail',
  failedAt: 'dl_failed_at',
  firstFailedAt: 'dl_first_failed_at',
  redriven: 'dl_redriven',
} as const
