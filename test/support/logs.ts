import { createHash } from 'node:crypto'
import fc from 'fast-check'
import * as t from 'io-ts'
import { BotMessage, type BotReply, InviteAgent } from '../../contracts/commands/bot-reply.ts'
import { DomainEvent } from '../../contracts/events/index.ts'
import { ReplyMessage } from '../../contracts/messages/index.ts'
import type { TopicName } from '../../contracts/topics.ts'
import { botReplies, keyOf, topicOf } from '../../contracts/topics.ts'
import { arbitraryOf, leafOf } from './arbitraries.ts'
import { freeForm } from './free-form.ts'

/** An entry of a log: an event or a command, its place, and when it was appended. */
export type Entry = {
  readonly content: DomainEvent | BotReply
  readonly topic: TopicName
  readonly partition: number
  readonly offset: number
  readonly timestamp: number
}

const few = (...ids: ReadonlyArray<string>) => fc.constantFrom(...ids)
/** Often the same, so that different chats have equal values. */
const oftenEqual = (others: fc.Arbitrary<string>) => fc.oneof(few('1', '2'), others)

/** Around midnight, because figures are made by day. */
const instants = fc
  .integer({ min: Date.UTC(2026, 0, 30), max: Date.UTC(2026, 1, 2) })
  .map((ms) => new Date(ms).toISOString())

const instead = {
  Instant: instants,
  Count: fc.nat(1_000_000),
  Id: oftenEqual(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }).filter((id) => id.trim() !== '')),
  string: oftenEqual(leafOf(t.string) as fc.Arbitrary<string>),
  Opaque: freeForm,
  UnknownRecord: freeForm,
  accountId: few('acme', 'globex'),
  chatId: few('1', '2'),
  clientId: few('c1', 'c2'),
  offlineMessageId: few('o1', 'o2'),
  commandId: few('r1', 'r2'),
  contentHash: few('one', 'other'),
  inReplyTo: few('e0', 'e1', 'e2', 'e3', 'elsewhere'),
  Buttons: fc.constant([{ text: 'Yes', id: '1' }]),
  [ReplyMessage.name]: fc.constant({ type: 'TEXT', text: 'Hello' }),
  'Id | null': few('e0', 'e1'),
  WireId: few('1', '2'),
}

const interfaceOf = (type: DomainEvent['type']) => (type.startsWith('BotReply') ? 'egress' : 'bot')

const event: fc.Arbitrary<DomainEvent> = fc
  .oneof(...DomainEvent.types.map((codec) => arbitraryOf(codec, instead)))
  .map((made) => {
    const it = made as DomainEvent
    const subject = 'chatId' in it.data ? it.data.chatId : it.data.clientId
    return { ...it, subject, source: `/accounts/${it.data.accountId}/${interfaceOf(it.type)}` } as DomainEvent
  })

const command = fc
  .oneof(arbitraryOf(BotMessage, instead), arbitraryOf(InviteAgent, instead))
  .map((made) => ({ ...(made as BotReply), id: 'r1' }) as BotReply)

const isCommand = (content: Entry['content']): content is BotReply =>
  content.type === 'BotMessage' || content.type === 'InviteAgent'

const start = Date.UTC(2026, 0, 31, 23, 59, 0)
const partitions = 3

const partitionOf = (key: string) => (createHash('sha256').update(key).digest()[0] ?? 0) % partitions

/** The entry with its own id and time. A command id belongs to one chat, as the contract of bot replies requires. */
const appended = (content: Entry['content'], number: number, position: number): Entry['content'] =>
  isCommand(content)
    ? { ...content, id: `r${content.chatId}` as never }
    : ({
        ...content,
        id: `e${number}`,
        time: new Date(start + position * 7_000).toISOString(),
        ...('commandId' in content.data && { data: { ...content.data, commandId: `r${content.data.chatId}` } }),
      } as DomainEvent)

/** A log of events and commands of a few chats. Some are repeated with the same id and another time. */
export const aLog: fc.Arbitrary<ReadonlyArray<Entry>> = fc
  .array(fc.oneof({ weight: 5, arbitrary: event }, { weight: 1, arbitrary: command }), { minLength: 1, maxLength: 14 })
  .chain((contents) =>
    fc
      .array(fc.nat(contents.length - 1), { maxLength: 24 })
      .map((repeats) => [...contents.keys(), ...repeats].map((number, position) => ({ number, position })))
      .map((places) => {
        const ends = new Map<string, number>()
        return places.flatMap(({ number, position }): ReadonlyArray<Entry> => {
          const it = contents[number]
          if (it === undefined) return []
          const entry = appended(it, number, position)
          const topic = isCommand(entry) ? botReplies.name : topicOf(entry).name
          const key = isCommand(entry) ? `${entry.accountId}/${entry.chatId}` : keyOf(entry)
          const partition = partitionOf(key)
          const offset = ends.get(`${topic}/${partition}`) ?? 0
          ends.set(`${topic}/${partition}`, offset + 1)
          return [{ content: entry, topic, partition, offset, timestamp: start + position * 7_000 }]
        })
      }),
  )

/** Slices as consumers may see them: each partition in order without gaps, but repeatedly from an earlier offset. */
export const deliveriesOf = (log: ReadonlyArray<Entry>): fc.Arbitrary<ReadonlyArray<ReadonlyArray<Entry>>> => {
  const sources = [...Map.groupBy(log, ({ topic, partition }) => `${topic}/${partition}`).values()]
  const step = fc.record({ source: fc.nat(), back: fc.nat(6), length: fc.integer({ min: 1, max: 8 }) })
  return fc.array(step, { maxLength: 20 }).map((steps) => {
    const read = sources.map(() => 0)
    const slices = steps.map(({ source, back, length }) => {
      const index = source % sources.length
      const from = Math.max(0, (read[index] ?? 0) - back)
      const slice = (sources[index] ?? []).slice(from, from + length)
      read[index] = Math.max(read[index] ?? 0, from + slice.length)
      return slice
    })
    return [...slices, ...sources.map((source, i) => source.slice(read[i]))].filter(({ length }) => length > 0)
  })
}
