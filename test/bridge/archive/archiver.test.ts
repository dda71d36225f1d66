import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import { archiver } from '../../../src/bridge/archive/archiver.ts'
import { dataKeys } from '../../../src/bridge/archive/data-keys.ts'
import { newKeyFile, readKeys } from '../../../src/bridge/archive/key-file.ts'
import { restorer } from '../../../src/bridge/archive/restore.ts'
import type { IncomingRecord, OutgoingRecord } from '../../../src/bridge/domain/log/record.ts'
import { fromRecord, toRecord } from '../../../src/bridge/kafka/records.ts'
import { batchHeaderOf, firstOffsetOf, unreadable } from '../../../src/bridge/kafka/unreadable.ts'
import { right } from '../../support/either.ts'
import { anEvent, at } from '../../support/given-events.ts'
import { memoryKeys } from './memory-keys.ts'

const archiving = suite('the archiver')
const keyFile = newKeyFile('first')
const owned = { isCurrent: () => true, done: () => {}, pause: () => () => {} }

const buffers = (headers: OutgoingRecord['headers']) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Buffer.from(value)]))
const stored = ({ topic, key, value, headers, partition = 2 }: OutgoingRecord, offset: number): IncomingRecord => ({
  topic,
  partition,
  offset,
  timestamp: 1_769_853_600_000 + offset,
  headers: buffers(headers),
  key: key === null ? null : Buffer.from(key),
  value: value === null ? null : Buffer.from(value),
})

/** An archive in memory, and archivers that share one database: one archiver for each process. */
const given = (stored_ = memoryKeys()) => {
  const archive: IncomingRecord[] = []
  const append = async (record: OutgoingRecord) => {
    archive.push(stored(record, archive.length))
    return E.right(undefined)
  }
  const wrapping = () => right(readKeys(keyFile))
  const process = (topicId = 'g1') => {
    const { spec } = archiver({
      findErased: async () => new Set(),
      keys: dataKeys(stored_, wrapping()),
      decode: fromRecord,
      append,
      batchHeaderOf,
      changedArchives: async () => [],
      archivedTo: async () => new Map(),
      committed: async () => new Map(),
      missed: async () => ({ again: new Map() }),
      reasonOf: String,
    })
    return async (records: ReadonlyArray<IncomingRecord>) => {
      await spec.refuseTopics?.(new Map([['bot-conversations', topicId]]))
      await spec.handle({ topic: 'bot-conversations', partition: 2, records }, owned)
    }
  }
  const restored = () => restorer(dataKeys(stored_, wrapping()))(archive)
  return { archive, keys: stored_, process, restored }
}

const wrote = (id: string, text: string) =>
  anEvent('ClientMessageReceived', id, at('10:00:00'), { message: { type: 'TEXT', text, timestamp: at('10:00:00') } })
const erasure = anEvent('ChatErased', 'x1', at('11:00:00'), { topic: 'bot-conversations', erasureId: 'e1' })
const logOf = (...events: ReadonlyArray<DomainEvent>) => events.map((event, offset) => stored(toRecord(event), offset))

const textsOf = async ({ restored }: ReturnType<typeof given>) =>
  (await restored()).map((found) =>
    found.kind === 'record' ? JSON.parse(String(found.record.value)).message?.text : found.kind,
  )

archiving('a restored record is the archived one: bytes, headers, place and time', async () => {
  const here = given()
  const log = logOf(wrote('a', 'Ann here'), wrote('b', 'äöü 😀'), anEvent('AgentJoined', 'c', at('10:00:02')))
  await here.process()(log)
  assert.equal(
    await here.restored(),
    log.map((record, i) => ({ kind: 'record', archived: here.archive[i], record, topicId: 'g1' })),
  )
})

archiving('personal data is not readable in the archive, other data is', async () => {
  const here = given()
  await here.process()(logOf(wrote('a', 'my secret')))
  const [record] = here.archive
  assert.not.match(`${record?.value}${JSON.stringify(record?.headers)}`, /secret/)
  assert.equal(JSON.parse(String(record?.value)).data, {
    accountId: 'acme',
    chatId: '2037',
    clientId: '1233',
    message: { type: 'TEXT', timestamp: at('10:00:00') },
  })
})

archiving('a record that is not a known event is archived too, fully encrypted', async () => {
  const here = given()
  const strange = { ...logOf(wrote('a', 'x'))[0], value: Buffer.from('not JSON, from Ann') } as IncomingRecord
  const empty = { ...strange, offset: 1, value: null, key: null }
  await here.process()([strange, empty])
  assert.not.match(String(here.archive[0]?.value), /Ann/)
  assert.equal(
    await here.restored(),
    [strange, empty].map((record, i) => ({ kind: 'record', archived: here.archive[i], record, topicId: 'g1' })),
  )
})

archiving('records without a key, which no erasure can find, are kept without their values', async () => {
  const here = given()
  const batch = Buffer.concat([Buffer.alloc(61), Buffer.from('Ann here')])
  batch.writeBigInt64BE(3n, 0)
  batch.writeInt32BE(2, 23)
  batch.writeInt32BE(3, 57)
  unreadable(batch, 'wrong checksum')
  const place = { topic: 'bot-conversations', partition: 2, timestamp: 0, headers: {} } as const
  const records: ReadonlyArray<IncomingRecord> = [
    { ...place, offset: 2, key: Buffer.alloc(0), value: Buffer.from('Ann here') },
    { ...place, offset: 5, key: null, value: batch },
  ]
  await here.process()(records)
  const restored = (await here.restored()).flatMap((found) => (found.kind === 'record' ? [found.record] : []))
  assert.equal(
    restored.map(({ value }) => value),
    [Buffer.alloc(0), batch.subarray(0, 61)],
  )
  assert.equal(restored.map(firstOffsetOf), [2, 3])
})

archiving('two archivers make one key for a record key', async () => {
  const here = given()
  await Promise.all([here.process()(logOf(wrote('a', 'one'))), here.process()(logOf(wrote('a', 'one')))])
  assert.is(here.keys.documents.size, 1)
  assert.equal(await textsOf(here), ['one', 'one'])
})

archiving('an erasure removes earlier texts, keeps later ones, and the log stays complete', async () => {
  const here = given()
  await here.process()(logOf(wrote('a', 'before'), erasure, wrote('b', 'after')))
  assert.equal(await textsOf(here), [undefined, undefined, 'after'])
})

archiving('a record that is redelivered after its erasure is not encrypted with the new key', async () => {
  const here = given()
  const log = logOf(wrote('a', 'before'), erasure, wrote('b', 'after'))
  await here.process()(log)
  await here.process()(log)
  assert.equal(await textsOf(here), [undefined, undefined, 'after', undefined, undefined, 'after'])
})

archiving('erasures in a deleted topic do not apply to the new topic of the same name', async () => {
  const here = given()
  await here.process()(logOf(wrote('a', 'before'), wrote('a2', 'x'), erasure))
  await here.process('g2')(logOf(wrote('c', 'anew')))
  assert.equal((await textsOf(here)).at(-1), 'anew')
})

archiving('a marker with the wrong record key erases nothing', async () => {
  const here = given()
  const [said, marker] = logOf(wrote('a', 'mine'), erasure)
  await here.process()([said, { ...marker, key: Buffer.from('acme/9') }] as IncomingRecord[])
  assert.is((await textsOf(here))[0], 'mine')
})

archiving('an archiver does not start if its key file cannot unwrap the data keys', async () => {
  const here = given()
  await here.process()(logOf(wrote('a', 'one')))
  const startWith = (kid: string) => {
    const keys = dataKeys(here.keys, right(readKeys(newKeyFile(kid))))
    const deps = {
      keys,
      decode: fromRecord,
      append: async () => E.right(undefined),
      batchHeaderOf,
      missed: async () => ({ again: new Map() }),
      reasonOf: String,
    }
    return archiver({
      findErased: async () => new Set(),
      ...deps,
      changedArchives: async () => [],
      archivedTo: async () => new Map(),
      committed: async () => new Map(),
    }).spec.refuseTopics?.(new Map())
  }
  assert.equal(
    [await startWith('second'), await startWith('first')],
    [
      'ARCHIVE_KEY_FILE has no key first, which has wrapped data keys',
      'the key first in ARCHIVE_KEY_FILE is not the key first that wrapped the data keys',
    ],
  )
})

archiving('a record that was moved or changed is corrupt', async () => {
  const here = given()
  await here.process()(logOf(wrote('a', 'one'), wrote('b', 'two')))
  const [one, two] = here.archive as [IncomingRecord, IncomingRecord]
  here.archive.splice(0, 2, { ...one, value: two.value }, { ...two, value: Buffer.from('{') })
  assert.equal(
    (await here.restored()).map((found) => (found.kind === 'corrupt' ? found.detail : found.kind)),
    ['personal: cannot be decrypted, or belongs to another record', 'value: expected JSON'],
  )
})

archiving('a data key that is lost without an erasure is an error with instructions', async () => {
  const here = given()
  await here.process()(logOf(wrote('a', 'one')))
  here.keys.documents.clear()
  const [found] = await here.restored()
  assert.match(
    found?.kind === 'lost' ? found.detail : '',
    /^MongoDB has neither the data key \S+ of bot-conversations nor a marker/,
  )
})

for (const [name, committed, archivedTo, expected] of [
  ['nothing is committed', undefined, 40, undefined],
  ['the archive has what is committed', 40, 40, 40],
  ['the archive has more, archived again by then', 40, 45, 40],
  ['the archive has lost its end', 40, 30, 30],
  ['the archive has lost everything', 40, 0, 0],
] as const)
  archiving(`reading begins where both the commit and the archive end: ${name}`, async () => {
    const { spec } = archiver({
      keys: dataKeys(memoryKeys(), right(readKeys(keyFile))),
      decode: fromRecord,
      append: async () => E.right(undefined),
      findErased: async () => new Set(),
      batchHeaderOf,
      changedArchives: async () => [],
      archivedTo: async () => new Map([[2, archivedTo]]),
      committed: async () => new Map(committed === undefined ? [] : [[2, committed]]),
      missed: async () => ({ again: new Map() }),
      reasonOf: String,
    })
    assert.is(await spec.startAt?.('chats', 2), expected)
  })

archiving.run()
