import * as E from 'fp-ts/lib/Either.js'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import type { AccountId, Instant } from '../../../contracts/primitives.ts'
import { sourceAt, sourceOfType } from '../../../contracts/source.ts'
import { ceDataSchema, ceType } from '../../../contracts/topics.ts'
import { botEvents, webhookEvents } from '../../../contracts/wire-events.ts'
import { boundTo } from '../../bridge/archive/seal.ts'
import { decodeBotEvent, decodeWebhook } from '../../bridge/domain/requests.ts'
import type { JsonObject } from './schema.ts'

const accountId = 'acme'
const eventId = '9661ab9c-48b0-11ed-a3d6-859398ff9bd9'
const conversation = { accountId, chatId: '2037', clientId: '1233' }
const reply = {
  ...conversation,
  commandId: 'r-1',
  commandType: 'BotMessage',
  inReplyTo: eventId,
  message: { type: 'TEXT', text: 'Hello', timestamp: '2022-10-10T15:31:20.000Z' },
  requestedAt: '2022-10-10T15:31:20.000Z',
}
const erasureId = 'b4b2f0a1c7d84e55'
const attempt = { at: '2022-10-10T15:31:20.010Z', durationMs: 87 }

/** The events that no request of the service becomes. */
const madeByTheBridge: Readonly<Partial<Record<DomainEvent['type'], JsonObject>>> = {
  BotReplyDelivered: { ...reply, attempts: [{ ...attempt, status: 200 }] },
  BotReplyFailed: {
    ...reply,
    attempts: [{ ...attempt, status: 400, code: 'invalid_request' }],
    reason: 'rejected',
    detail: 'HTTP 400 invalid_request',
  },
  BotReplySuppressed: { ...reply, attempts: [], reason: 'agent-joined' },
  ClientErased: { accountId, clientId: '1233', erasureId },
  ChatErased: { ...conversation, erasureId, topic: 'chats' },
}

const receipt = {
  accountId: accountId as AccountId,
  receivedAt: '2022-10-10T15:31:19.512Z' as Instant,
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  id: eventId,
}

/** What makes an event of each type from the service's sample. */
const ofSamples = new Map<DomainEvent['type'], () => E.Either<unknown, { readonly event: DomainEvent }>>([
  ...webhookEvents.map(({ type, sample }) => [type, () => decodeWebhook(sample, receipt)] as const),
  ...botEvents.map(({ type, sample }) => [type, () => decodeBotEvent(sample, receipt)] as const),
])

/** The data of one event of each type. */
export const exampleOf = (type: DomainEvent['type']): JsonObject => {
  const own = madeByTheBridge[type]
  if (own !== undefined) return own
  const decoded = ofSamples.get(type)?.()
  if (decoded === undefined || E.isLeft(decoded)) throw new Error(`${type} has no example`)
  return JSON.parse(JSON.stringify(decoded.right.event.data)) as JsonObject
}

/** The headers of the example of an event. */
export const exampleHeaders = (type: DomainEvent['type']): JsonObject => {
  const { chatId, clientId } = exampleOf(type)
  return {
    ce_specversion: '1.0',
    ce_id: eventId,
    ce_type: ceType(type),
    ce_source: sourceAt('acme', sourceOfType(type)),
    ce_subject: chatId ?? clientId ?? '',
    ce_time: '2022-10-10T15:31:19.512Z',
    ce_dataschema: ceDataSchema(type),
    'content-type': 'application/json',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  }
}

export const exampleArchived: JsonObject = {
  data: {
    accountId,
    chatId: '2037',
    clientId: '1233',
    message: { type: 'TEXT', timestamp: '2022-10-10T15:31:19.000Z' },
  },
  personal: {
    protected: 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0',
    aad: boundTo('bot-conversations', 'kT3uVv1ZQ2aLw0n8xGm4bA', {
      partition: 0,
      offset: 12,
      headers: { ce_id: Buffer.from(eventId), ce_type: Buffer.from(ceType('ClientMessageReceived')) },
    }),
    iv: 'UmVwZWF0bm90aGlz',
    ciphertext: 'c2VjcmV0',
    tag: 'MDEyMzQ1Njc4OWFiY2RlZg',
  },
}
