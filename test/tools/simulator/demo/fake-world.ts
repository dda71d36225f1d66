import * as E from 'fp-ts/lib/Either.js'
import { Enrichment } from '../../../../contracts/commands/enrichment.ts'
import type { DomainEvent } from '../../../../contracts/events/index.ts'
import type { Instant } from '../../../../contracts/primitives.ts'
import { ceType, type TopicName, topicsOf } from '../../../../contracts/topics.ts'
import { botEvents, webhookEvents } from '../../../../contracts/wire-events.ts'
import { readAccounts } from '../../../../src/app/accounts-file.ts'
import { decodeParts } from '../../../../src/bridge/domain/decode-parts.ts'
import type { IncomingRecord } from '../../../../src/bridge/domain/log/record.ts'
import { botRequest } from '../../../../src/bridge/egress/delivery/post.ts'
import type { ReadDocument } from '../../../../src/bridge/egress/ports.ts'
import { serviceAccountOf } from '../../../../src/tools/simulator/account.ts'
import type { DemoDeps } from '../../../../src/tools/simulator/demo/run-demo.ts'
import type { DemoAccount } from '../../../../src/tools/simulator/demo/story.ts'
import type { Odd } from '../../../../src/tools/simulator/odd-forms.ts'
import { type Service, startService } from '../../../../src/tools/simulator/service.ts'
import { startFakeBridge } from '../fake-bridge.ts'
import { documentOf } from './fake-views.ts'

type Json = Readonly<Record<string, unknown>>

const typeOf = new Map<string, DomainEvent['type']>(
  [...webhookEvents, ...botEvents].map(({ name, type }) => [name, type]),
)

const ids = ({ chat_id, client_id }: Json) => ({
  ...(chat_id !== undefined && { chatId: String(chat_id) }),
  ...(client_id !== undefined && { clientId: String(client_id) }),
})

const noon = '2026-01-31T12:00:00.000Z' as Instant
const messageOf = (message: unknown) => (message instanceof Object ? { ...message, timestamp: noon } : message)

const account = (): DemoAccount => {
  const bot = { token: 'bot-token-of-demo', providerId: 'prov1', baseUrl: 'http://127.0.0.1' }
  const file = { accounts: [{ id: 'demo', webhooks: { token: 'webhooks-token-of-demo' }, bot }] }
  const read = readAccounts(E.right(JSON.stringify(file)))
  const [one] = E.isRight(read) ? read.right : []
  if (one?.webhooks === undefined || one.bot === undefined) throw new Error('the account of this test is wrong')
  return { ...one, webhooks: one.webhooks, bot: one.bot }
}

/**
 * A bridge, a log and views in memory, behind the real simulated service. The bridge answers 503 to `refuses`, `odd`
 * for all odd forms.
 */
export const createWorld = async (refuses: ReadonlyArray<string> = [], odd: Odd = { share: 0, seed: 0 }) => {
  const demo = account()
  const records: IncomingRecord[] = []
  const readers: Array<(record: IncomingRecord) => void> = []
  const append = (topic: TopicName, value: Json, headers: Readonly<Record<string, string>> = {}) => {
    const bytes = Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, Buffer.from(text)]))
    const offset = records.length
    const record = { topic, partition: 3, offset, timestamp: 0, key: null, value: Buffer.from(JSON.stringify(value)) }
    records.push({ ...record, headers: bytes })
    for (const read of readers) read({ ...record, headers: bytes })
  }
  const publish = (topic: TopicName, type: DomainEvent['type'], id: string, data: Json) =>
    append(
      topic,
      { accountId: demo.id, ...data },
      {
        ce_type: ceType(type),
        ce_id: id,
        ce_source: `/accounts/demo/${topic === 'bot-conversations' ? 'bot' : 'webhooks'}`,
        ce_subject: String(data.chatId ?? data.clientId),
        ce_time: noon,
      },
    )

  const notes = new Map<string, Enrichment>()
  const bridge = await startFakeBridge(({ body }) => {
    const sent: Json = JSON.parse(body)
    const name = String(sent.event_name ?? sent.event)
    const type = typeOf.get(name)
    const topic = type === undefined ? 'quarantine' : (topicsOf(type)[0]?.name ?? 'quarantine')
    const isOdd = String(sent.chat_id ?? sent.client_id).startsWith('odd-')
    if (refuses.includes(isOdd ? 'odd' : name))
      return { status: 503, body: { error: { code: 'temporarily_unavailable' } } }
    const id = String(sent.id ?? `hash-${records.length}`)
    publish(topic, type ?? 'ChatClosed', id, { ...sent, ...ids(sent), message: messageOf(sent.message) })
    const note = notes.get(`demo/chatId:${sent.chat_id}`)
    const enriched = name === 'chat_accepted' && note?.customData && { custom_data: note.customData }
    return { status: 200, body: { result: 'ok', ...enriched } }
  })
  const service = await startService({ accounts: [serviceAccountOf(demo)], odd })

  const produceReply: DemoDeps['produceReply'] = async (command) => {
    append('bot-replies', command)
    const { ok } = await fetch(`${service.baseUrl}/webhooks/prov1/bot-token-of-demo`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(botRequest(command, noon)),
    })
    publish('bot-conversations', ok ? 'BotReplyDelivered' : 'BotReplyFailed', `delivered-${command.id}`, {
      chatId: command.chatId,
      commandId: command.id,
      commandType: command.type,
      ...(!ok && { reason: 'rejected' }),
      attempts: [],
    })
  }
  /** Replaces the silent address by one that refuses connections: its two attempts fail at once, no test waits. */
  const connect: Service['connect'] = (accountId, to) =>
    service.connect(accountId, { ...to, botUrl: to.botUrl.startsWith(bridge.url) ? to.botUrl : 'http://127.0.0.1:1' })
  const lines: string[] = []
  const deps: DemoDeps = {
    bridgeUrl: bridge.url,
    account: demo,
    consumeAll: async (onRecord) => {
      readers.push(onRecord)
      return async () => void readers.splice(0)
    },
    produceReply,
    produceNote: async ({ key, value }) => {
      const read = decodeParts<Enrichment>(Enrichment)(value)
      if (E.isRight(read)) notes.set(key, read.right.value)
    },
    findView: ((view, id) => Promise.resolve(documentOf(records, view, id))) as ReadDocument,
    out: (line) => void lines.push(line),
    service: { ...service, connect },
  }
  return { deps, lines, stop: () => Promise.all([service.stop(), bridge.stop()]) }
}
