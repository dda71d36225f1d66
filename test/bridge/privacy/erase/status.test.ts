import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { IncomingRecord } from '../../../../src/bridge/domain/log/record.ts'
import { check, markersAfterOthers } from '../../../../src/bridge/privacy/erase/status.ts'
import { givenErasures, receipt } from './given-erasures.ts'

const status = suite('what an erasure may have left in a topic')

/** Markers as `partition/offset`; each partition begins at `low`. */
const rows: ReadonlyArray<readonly [string, string, number, string]> = [
  ['a record precedes the marker', '0/5', 4, '0/5'],
  ['Kafka has deleted what preceded it', '0/5', 5, ''],
  ['only markers of the same erasure precede it', '0/0 0/1 0/2', 0, ''],
  ['markers, then a record, then a marker', '0/0 0/1 0/3', 0, '0/3'],
  ['the markers are not in order', '0/3 0/1 0/0', 0, '0/3'],
  ['each partition has its own records', '0/0 1/1', 0, '1/1'],
  ['nothing is written', '', 0, ''],
]
const read = (text: string) =>
  text
    .split(' ')
    .filter((place) => place !== '')
    .map((place) => {
      const [partition = 0, offset = 0] = place.split('/').map(Number)
      return { partition, offset }
    })
for (const [name, markers, low, found] of rows)
  status(name, () =>
    assert.equal(
      markersAfterOthers(read(markers), () => low),
      read(found),
    ),
  )

status.run()

const returning = suite('enrichments of a person after the erasure')

const requestedAt = receipt('e1', 10).requestedAt.getTime()
const enrichmentAt = (offset: number, key: string, time: number, value: string | null = '{}'): IncomingRecord => ({
  topic: 'enrichments',
  partition: 0,
  offset,
  timestamp: time,
  key: Buffer.from(key),
  value: value === null ? null : Buffer.from(value),
  headers: {},
})

/** Checks the erasure of client 20 and an address, with these enrichments in Kafka, of which the view has the newest. */
const checked = async (records: ReadonlyArray<IncomingRecord>, stored: ReadonlyArray<IncomingRecord> = records) => {
  const { erasures } = givenErasures([], {
    hmac: async () => (text) => text,
    enrichedKeys: async function* () {
      yield* stored.map(({ key }) => `${key}`)
    },
    enriched: async (keys) =>
      stored.flatMap(({ key, value, topic, partition, offset }) =>
        value !== null && keys.includes(`${key}`)
          ? [{ _id: `${key}`, value: {}, applied: { [`${topic}/${partition}`]: offset } }]
          : [],
      ),
  })
  const kafka = {
    readTopic: async (topic: string, onSlice: (slice: ReadonlyArray<IncomingRecord>) => Promise<void>) => {
      if (topic === 'enrichments') await onSlice(records)
      return E.right(undefined)
    },
    ranges: async () => new Map(),
    committedOffsets: async () => new Map(),
  }
  const ports = { kafka, erasures, clock: () => new Date(requestedAt + 1_000) } as unknown as Parameters<
    typeof check
  >[0]
  const keys = ['client acme/20', 'email acme/ann@example.com', 'enrichment acme/phone:+1']
  const { state, stillFound, publishedSince } = await check(
    ports,
    receipt('e1', 10, { state: 'published', keys: keys as never }),
  )
  return { state, stillFound, publishedSince }
}
const [before, since] = [requestedAt - 1, requestedAt]
const one = { 'view enrichments': 1, 'topic enrichments': 1 }

const enrichmentRows: ReadonlyArray<
  readonly [string, Parameters<typeof checked>, Awaited<ReturnType<typeof checked>>]
> = [
  [
    'a key that had none, since then: complete, and named',
    [[enrichmentAt(0, 'acme/clientId:20', since)]],
    { state: 'complete', stillFound: {}, publishedSince: one },
  ],
  [
    'an address in capital letters, since then',
    [[enrichmentAt(0, 'acme/email:Ann@example.com', since)]],
    { state: 'complete', stillFound: {}, publishedSince: one },
  ],
  [
    'a key that had one, since then',
    [[enrichmentAt(0, 'acme/phone:+1', since)]],
    { state: 'complete', stillFound: {}, publishedSince: one },
  ],
  [
    'from before the erasure: not complete',
    [[enrichmentAt(0, 'acme/clientId:20', before)]],
    { state: 'published', stillFound: one, publishedSince: undefined },
  ],
  [
    'the view has an older one than the topic',
    [[enrichmentAt(3, 'acme/clientId:20', since)], [enrichmentAt(2, 'acme/clientId:20', before)]],
    { state: 'published', stillFound: { 'view enrichments': 1 }, publishedSince: { 'topic enrichments': 1 } },
  ],
  [
    'only the view has it, as after a restore',
    [[], [enrichmentAt(2, 'acme/clientId:20', before)]],
    { state: 'published', stillFound: { 'view enrichments': 1 }, publishedSince: undefined },
  ],
  [
    'a removal, somebody else, and another account',
    [
      [
        enrichmentAt(0, 'acme/clientId:20', since, null),
        enrichmentAt(1, 'acme/clientId:21', since),
        enrichmentAt(2, 'other/clientId:20', since),
      ],
    ],
    { state: 'complete', stillFound: {}, publishedSince: undefined },
  ],
]
for (const [name, given, expected] of enrichmentRows)
  returning(name, async () => assert.equal(await checked(...given), expected))

returning.run()

const documents = suite('documents of a person who came back after the erasure')

const markerIn = (topic: string, offset: number) => ({
  type: 'ChatErased',
  chatId: '2037',
  topic,
  partition: 0,
  offset,
})
const markersOfChat = [markerIn('chats', 5), markerIn('calls', 3)]
const chatWith = (applied: Readonly<Record<string, number>>) => ({
  view: 'chats',
  document: { _id: 'acme/2037', accountId: 'acme', chatId: '2037', visitor: { name: 'Ann' }, applied },
})
const entryAt = (offset: number, topic = 'chats') => ({
  view: 'timeline',
  document: { _id: 'acme/2037/webhooks/e1', chatId: '2037', topic, partition: 0, offset, data: { text: 'Hello' } },
})
const ofOther = { ...markerIn('chats', 90), chatId: '2038' }

const documentRows: ReadonlyArray<readonly [string, Parameters<typeof placesAfter>, ReadonlyArray<unknown>]> = [
  ['it has read past its markers: newer', [chatWith({ 'chats/0': 9 })], ['complete', {}, { 'view chats': 1 }]],
  [
    'it has read past one marker, and the other: newer',
    [chatWith({ 'chats/0': 5, 'calls/0': 8 })],
    ['complete', {}, { 'view chats': 1 }],
  ],
  ['it has not read a marker: left over', [chatWith({ 'chats/0': 4 })], ['published', { 'view chats': 1 }, undefined]],
  [
    'it has read past one marker, but not the other: left over',
    [chatWith({ 'chats/0': 9, 'calls/0': 2 })],
    ['published', { 'view chats': 1 }, undefined],
  ],
  [
    'it has read nothing after its marker: left over',
    [chatWith({ 'chats/0': 5 })],
    ['published', { 'view chats': 1 }, undefined],
  ],
  [
    'it was made from the archive: left over',
    [chatWith({ 'chats/0': 9, 'archive-chats/0': 1 })],
    ['published', { 'view chats': 1 }, undefined],
  ],
  ['an entry after the marker: newer', [entryAt(6)], ['complete', {}, { 'view timeline': 1 }]],
  ['an entry before the marker: left over', [entryAt(4)], ['published', { 'view timeline': 1 }, undefined]],
]

/** What a check of the erasure of chat 2037 says of this document. */
const placesAfter = async (found: ReturnType<typeof chatWith> | ReturnType<typeof entryAt>) => {
  const markers = [...markersOfChat, ofOther]
  const { erasures } = givenErasures([], {
    findDocuments: async function* () {
      yield found
    },
    markers: async () => markers as never,
  })
  const kafka = {
    readTopic: async () => E.right(undefined),
    ranges: async () => new Map([[0, { low: 100, high: 100 }]]),
    committedOffsets: async () => new Map([[0, 100]]),
  }
  const ports = { kafka, erasures, clock: () => new Date(requestedAt + 1_000) } as unknown as Parameters<
    typeof check
  >[0]
  const checked = await check(ports, receipt('e1', 10, { state: 'published', markers: markers.length }))
  return [checked.state, checked.stillFound, checked.publishedSince]
}
for (const [name, given, expected] of documentRows)
  documents(name, async () => assert.equal(await placesAfter(...given), expected))

documents.run()
