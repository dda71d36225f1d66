import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ConversationEvent, DomainEvent } from '../../../contracts/events/index.ts'
import { type LoggedChat, readChats } from '../../../src/bot/what-if/source.ts'
import type { Restore, Restored } from '../../../src/bridge/archive/restore.ts'
import type { IncomingRecord } from '../../../src/bridge/domain/log/record.ts'
import type { ReadTopic } from '../../../src/bridge/kafka/read-topic.ts'
import { toRecord } from '../../../src/bridge/kafka/records.ts'
import { anEvent } from '../../support/given-events.ts'
import { client, event } from './given-chat.ts'

const source = suite('the chats of the log')

const at = (time: string) => Date.parse(`2026-01-31T${time}Z`)
const span = { account: 'acme', from: at('10:00:00'), until: at('11:00:00') }

/** A record at a place, received by Kafka when the bridge received the event. */
const recordOf = (told: DomainEvent, partition: number, offset: number): IncomingRecord => {
  const { topic, key, value, headers } = toRecord(told)
  return {
    topic,
    partition,
    offset,
    timestamp: Date.parse(told.time),
    key: Buffer.from(`${key}`),
    value: Buffer.from(`${value}`),
    headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, Buffer.from(text)])),
  }
}
const inChat = <E extends ConversationEvent>(chatId: string, told: E): E =>
  ({ ...told, subject: chatId, data: { ...told.data, chatId } }) as E
const marker = (chatId: string): DomainEvent =>
  ({
    ...anEvent('ChatErased', `erased-${chatId}`, '2026-02-05T10:00:00.000Z', { chatId, topic: 'bot-conversations' }),
    subject: chatId,
  }) as DomainEvent

type Log = Readonly<Record<number, ReadonlyArray<IncomingRecord>>>

/** Topics in memory. A partition begins at its first record. */
const kafkaWith = (topics: Readonly<Record<string, Log>>, read: string[] = []) => {
  const partsOf = (topic: string) =>
    Object.entries(topics[topic] ?? {}).map(([p, records]) => [Number(p), records] as const)
  const readTopic: ReadTopic = async (topic, onSlice, { part } = {}) => {
    for (const [partition, records] of partsOf(topic)) {
      const whole = { low: records[0]?.offset ?? 0, high: (records.at(-1)?.offset ?? -1) + 1 }
      const { low, high } = part?.(partition, whole) ?? whole
      for (const record of records)
        if (record.offset >= low && record.offset < high) {
          read.push(`${topic} ${record.offset}`)
          await onSlice([record])
        }
    }
    return E.right(undefined)
  }
  return {
    readTopic,
    ranges: async (topic: string) =>
      new Map(
        partsOf(topic).map(([p, records]) => [
          p,
          { low: records[0]?.offset ?? 0, high: (records.at(-1)?.offset ?? -1) + 1 },
        ]),
      ),
    offsetsAt: async (topic: string, time: number) =>
      new Map(
        partsOf(topic).map(([p, records]) => [
          p,
          records.find(({ timestamp }) => timestamp >= time)?.offset ?? (records.at(-1)?.offset ?? -1) + 1,
        ]),
      ),
    fetchRecord: async (topic: string, partition: number, offset: number) =>
      partsOf(topic)
        .find(([p]) => p === partition)?.[1]
        .find((record) => record.offset === offset),
    topicIds: async () => new Map([['bot-conversations' as const, 'g1']]),
  }
}
type Given = {
  /** Ids of chats. */
  readonly erased?: ReadonlyArray<string>
  readonly restore?: Restore
  readonly read?: string[]
}
const chatsOf = async (topics: Readonly<Record<string, Log>>, { erased = [], restore, read = [] }: Given = {}) => {
  const signal = new AbortController().signal
  const { chats, offsets, unreadable } = await readChats(
    { kafka: kafkaWith(topics, read), restore, signal },
    async () => new Set(erased),
    span,
  )
  const found: LoggedChat[] = []
  for await (const chat of chats) found.push(chat)
  const told = found.map((chat) => [
    chat.chatId,
    'skipped' in chat ? chat.skipped : chat.events.map(({ id }) => id).join(' '),
  ])
  return { told, offsets, unreadable: unreadable() }
}

source('chats come partition after partition, in the order in which they begin', async () => {
  const log = {
    0: [
      recordOf(inChat('2', client('a', '10:01:00')), 0, 0),
      recordOf(inChat('1', client('b', '10:02:00')), 0, 1),
      recordOf(inChat('2', client('c', '10:03:00')), 0, 2),
    ],
    1: [recordOf(inChat('3', client('d', '10:00:00')), 1, 0)],
  }
  assert.equal((await chatsOf({ 'bot-conversations': log })).told, [
    ['2', 'a c'],
    ['1', 'b'],
    ['3', 'd'],
  ])
})

source(
  'other accounts, and events long after the span, are left out; an event that Kafka got late is not',
  async () => {
    const other = client('x', '10:01:00')
    const log = {
      0: [
        recordOf({ ...other, data: { ...other.data, accountId: 'acme2' as never } }, 0, 0),
        recordOf(inChat('1', client('a', '10:02:00')), 0, 1),
        recordOf(inChat('1', client('b', '11:02:00')), 0, 2),
        { ...recordOf(inChat('1', client('c', '10:03:00')), 0, 3), timestamp: at('23:00:00') },
      ],
    }
    assert.equal((await chatsOf({ 'bot-conversations': log })).told, [['1', 'a c']])
  },
)

source('a chat that was erased at any time is skipped, by its marker or by what MongoDB knows', async () => {
  const log = {
    0: [
      recordOf(inChat('1', client('a', '10:01:00')), 0, 0),
      recordOf(inChat('2', client('b', '10:02:00')), 0, 1),
      recordOf(inChat('3', client('c', '10:03:00')), 0, 2),
      recordOf(marker('1'), 0, 3),
    ],
  }
  assert.equal((await chatsOf({ 'bot-conversations': log }, { erased: ['3'] })).told, [
    ['1', 'erased'],
    ['2', 'b'],
    ['3', 'erased'],
  ])
})

source('late events and chats that an agent had first are skipped', async () => {
  const late = { ...inChat('1', client('a', '10:01:00')), receivedTime: '2026-01-31T10:01:00.000Z' as never }
  const log = {
    0: [
      recordOf(late, 0, 0),
      recordOf(inChat('2', event('AgentJoined', 'j', '10:02:00')), 0, 1),
      recordOf(inChat('2', client('b', '10:02:00')), 0, 2),
    ],
  }
  assert.equal((await chatsOf({ 'bot-conversations': log })).told, [
    ['1', 'late-events'],
    ['2', 'agent-first'],
  ])
})

source('what the topic no longer has comes from the archive, before the rest of its partition', async () => {
  const [a, b, c] = ['a', 'b', 'c'].map((id, i) => recordOf(inChat('1', client(id, `10:0${i}:00`)), 0, i))
  const d = recordOf(inChat('2', client('d', '10:00:00')), 1, 0)
  if (a === undefined || b === undefined || c === undefined) throw new Error('no records')
  const archived = [a, b, b, c].map((record, offset) => ({
    ...record,
    topic: 'archive-bot-conversations' as const,
    offset,
  }))
  const originals = [a, b, b, c]
  const restore = async (records: ReadonlyArray<IncomingRecord>): Promise<ReadonlyArray<Restored>> =>
    records.map((archived) => ({
      kind: 'record',
      archived,
      record: originals[archived.offset] ?? archived,
      topicId: 'g1',
    }))
  const topics = { 'bot-conversations': { 0: [c], 1: [d] }, 'archive-bot-conversations': { 0: archived } }
  const { told, offsets } = await chatsOf(topics, { restore })
  assert.equal(told, [
    ['1', 'a b c'],
    ['2', 'd'],
  ])
  assert.equal([...offsets.keys()], ['bot-conversations', 'archive-bot-conversations'])
})

source('without the key of the archive it does not leave chats out in silence', async () => {
  const c = recordOf(inChat('1', client('c', '10:02:00')), 0, 5)
  const topics = {
    'bot-conversations': { 0: [c] },
    'archive-bot-conversations': { 0: [{ ...c, topic: 'archive-bot-conversations' as const, offset: 0 }] },
  }
  try {
    await chatsOf(topics)
    assert.unreachable()
  } catch (error) {
    assert.match((error as Error).message, /only in the archive, and ARCHIVE_KEY_FILE is not set/)
  }
})

source('a record that cannot be read is counted', async () => {
  const good = recordOf(inChat('1', client('a', '10:01:00')), 0, 0)
  const log = { 0: [good, { ...good, offset: 1, value: Buffer.from('{') }] }
  const { told, unreadable } = await chatsOf({ 'bot-conversations': log })
  assert.equal(told, [['1', 'a']])
  assert.is(unreadable, 1)
})

source.run()
