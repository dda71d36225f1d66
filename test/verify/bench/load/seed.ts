import * as E from 'fp-ts/lib/Either.js'
import type { Message } from 'kafkajs'
import { type AccountId, Instant } from '../../../../contracts/primitives.ts'
import { decodeWebhook } from '../../../../src/bridge/domain/requests.ts'
import { toRecord } from '../../../../src/bridge/kafka/records.ts'
import { sleep } from '../../../../src/bridge/shared/time.ts'
import { chatAccepted, chatAssigned, chatUpdated } from '../../../../src/tools/simulator/payloads.ts'
import { right } from '../../../support/either.ts'
import { accountId } from '../account.ts'
import { kafkaOf } from '../peers/group-commit.ts'
import { serve } from '../worker.ts'
import { chatAcceptedOf, firstNumber } from './bodies.ts'

export type SeedAsk = {
  readonly brokers: ReadonlyArray<string>
  readonly topic: string
  /** As the bridge's ingress publishes them, or as the service posts them. */
  readonly as: 'events' | 'payloads'
  /** The number of the first event; event n belongs to chat n modulo `chats`. */
  readonly from: number
  readonly count: number
  readonly chats: number
  /** How many events a chat has before it ends and another begins. Without it the same chats continue. */
  readonly perChat?: number | undefined
  /** The rate; without it as fast as the broker accepts them. */
  readonly perSecond?: number
}

const mostPerSend = 2_000
const sendsPerSecond = 20
const startedAt = Date.UTC(2026, 0, 5)
const kinds = [chatAccepted, chatAssigned, chatUpdated]

type Template = {
  readonly value: Buffer
  readonly at: number
  readonly key: string
  readonly headers: Message['headers']
}

/** One chat's event of a kind, in which only its number, its id and its time change. */
const template = (as: SeedAsk['as'], chatId: number, kind: number): Template => {
  const { chat_id, user_token, visitor, session } = chatAcceptedOf(chatId, firstNumber)
  const payload = kinds[kind]?.({ chat_id, user_token, visitor, session })
  if (as === 'payloads') return placed(JSON.stringify(payload), String(chatId), {})
  const receivedAt = right(Instant.decode(new Date(startedAt).toISOString()))
  const receipt = { accountId: accountId as AccountId, id: 'x', traceparent: '', receivedAt }
  const event = decodeWebhook(payload, receipt)
  if (E.isLeft(event)) throw new Error(`no event: ${JSON.stringify(event.left)}`)
  const { key, value, headers } = toRecord(event.right.event)
  return placed(String(value), String(key), headers)
}
const placed = (value: string, key: string, headers: Message['headers']): Template => {
  const buffer = Buffer.from(value)
  return { value: buffer, at: buffer.indexOf(`:${firstNumber}`) + 1, key, headers }
}

/** Like the bodies of requests: each event costs a copy only. */
const messages = ({ as, chats, perChat = Number.POSITIVE_INFINITY }: SeedAsk) => {
  const templates = new Map<number, Template>()
  let first = 0
  const of = (chat: number, kind: number) => {
    const slot = (chat - first) * kinds.length + kind
    const known = templates.get(slot) ?? template(as, chat + 1, kind)
    templates.set(slot, known)
    return known
  }
  return (number: number): Message => {
    const round = Math.floor(number / chats)
    const inChat = round % perChat
    const over = ((round - inChat) / perChat) * chats
    if (over !== first) templates.clear()
    first = over
    const { value, at, key, headers } = of(first + (number % chats), inChat % kinds.length)
    const copy = Buffer.from(value)
    copy.write(String(firstNumber + inChat), at, 'latin1')
    if (as === 'payloads') return { key, value: copy }
    const ce_time = new Date(startedAt + number * 10).toISOString()
    return { key, value: copy, headers: { ...headers, ce_id: `event-${number}`, ce_time } }
  }
}

/** Fills a topic, many records in each send. */
serve<SeedAsk>(async (ask) => {
  const { brokers, topic, from, count, perSecond } = ask
  const perSend = perSecond === undefined ? mostPerSend : perSecond / sendsPerSecond
  const producer = kafkaOf(brokers).producer()
  await producer.connect()
  const message = messages(ask)
  const began = performance.now()
  for (let sent = 0; sent < count; sent += perSend) {
    const size = Math.min(perSend, count - sent)
    if (perSecond !== undefined) await sleep((sent / perSecond) * 1000 - (performance.now() - began))
    await producer.send({ topic, acks: -1, messages: Array.from({ length: size }, (_, i) => message(from + sent + i)) })
  }
  await producer.disconnect()
})
