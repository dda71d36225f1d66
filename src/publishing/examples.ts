import * as E from 'fp-ts/lib/Either.js'
import type { DomainEvent } from '../../contracts/events/index.ts'
import type { AccountId, Instant } from '../../contracts/primitives.ts'
import { sourceAt, sourceOfType } from '../../contracts/source.ts'
import { ceDataSchema, ceType } from '../../contracts/topics.ts'
import { boundTo } from '../archive/seal.ts'
import { decodeBotEvent, decodeWebhook, wireOf } from '../domain/requests.ts'
import { readSamples } from './read-contracts.ts'
import type { JsonObject } from './schema.ts'

const accountId = 'acme'
const eventId = '9661ab9c-48b0-11ed-a3d6-859398ff9bd9'
const visitor = { number: '2746', chatsCount: 1, name: 'John Smith', email: 'john.smith@example.com' }
const agent = { id: '1', name: 'Jane Doe', email: 'jane.doe@example.com' }
const page = { url: 'https://shop.example.com/shoes', title: 'Shoes' }
const webhook = { accountId, widgetId: '3948', visitor }
const chat = { ...webhook, chatId: '2037', agent, page }
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

const chosen: Readonly<Partial<Record<DomainEvent['type'], JsonObject>>> = {
  ChatAccepted: { ...chat, organization: { id: '12', name: 'Example Ltd' }, tags: [{ id: '21', title: 'delivery' }] },
  ChatAssigned: { ...chat, assignTo: 'https://crm.example.com/clients/1233' },
  ChatUpdated: { ...chat, visitor: { ...visitor, phone: '+14085550142' } },
  ChatFinished: {
    ...webhook,
    chatId: '2037',
    agents: [agent],
    chat: {
      messages: [
        { message: 'Hi', timestamp: '2022-10-10T10:07:56.000Z', type: 'visitor' },
        { message: 'Hello', timestamp: '2022-10-10T10:08:03.000Z', type: 'agent', agentId: '1' },
      ],
      blacklisted: false,
      rate: 'good',
    },
  },
  CallStatusChanged: {
    ...webhook,
    chatId: '2038',
    agent,
    call: {
      type: 'incoming',
      phone: '+14085550142',
      status: 'end',
      recordUrl: 'https://records.example.com/2038.mp3',
    },
  },
  ClientUpdated: { ...webhook, clientId: '1233', status: { id: '4', title: 'Regular customer' } },
  OfflineMessageReceived: { ...webhook, chatId: '2039', message: 'Call me back', offlineMessageId: '1665399500726' },
  ClientMessageReceived: {
    ...conversation,
    message: { type: 'TEXT', text: 'Hello', timestamp: '2022-10-10T15:31:19.000Z' },
    extra: { site_id: '123456', agents_online: true },
  },
  AgentInvited: { ...conversation, invitedBy: 'service' },
  AgentJoined: conversation,
  AgentUnavailable: conversation,
  ChatClosed: conversation,
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

const decoders = { webhooks: decodeWebhook, bot: decodeBotEvent }
const receipt = {
  accountId: accountId as AccountId,
  receivedAt: '2022-10-10T15:31:19.512Z' as Instant,
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  id: eventId,
}

/** The data that the bridge makes of the service's plain sample. */
const ofSample = (type: DomainEvent['type']): JsonObject => {
  const wire = wireOf(type)
  const samples = wire && readSamples(wire.api === 'bot' ? 'bot-api' : 'webhooks')
  const decoded = wire && decoders[wire.api](samples?.[wire.name], receipt)
  if (decoded === undefined || E.isLeft(decoded)) throw new Error(`${type} has no example`)
  return JSON.parse(JSON.stringify(decoded.right.event.data)) as JsonObject
}

/** The data of one event of each type. Without an example of its own it is made of the sample of the service. */
export const exampleOf = (type: DomainEvent['type']): JsonObject => chosen[type] ?? ofSample(type)

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
