import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../../../contracts/events/index.ts'
import { archiver } from '../../../../src/bridge/archive/archiver.ts'
import { dataKeys } from '../../../../src/bridge/archive/data-keys.ts'
import { newKeyFile, readKeys } from '../../../../src/bridge/archive/key-file.ts'
import { restorer } from '../../../../src/bridge/archive/restore.ts'
import type { ArchiveKey } from '../../../../src/bridge/domain/archive-keys.ts'
import type { IncomingRecord, OutgoingRecord } from '../../../../src/bridge/domain/log/record.ts'
import { fromRecord, toRecord } from '../../../../src/bridge/kafka/records.ts'
import { missedErasures } from '../../../../src/bridge/privacy/missed/missed-erasures.ts'
import { right } from '../../../support/either.ts'
import { anEvent, at } from '../../../support/given-events.ts'
import { memoryKeys } from '../../archive/memory-keys.ts'

const missed = suite('erasures that a restored copy of MongoDB does not have')
const keyFile = newKeyFile('first')
const name = 'bot-conversations'

const stored = ({ topic, key, value, headers }: OutgoingRecord, offset: number): IncomingRecord => ({
  topic,
  partition: 0,
  offset,
  timestamp: offset,
  key: Buffer.from(key ?? ''),
  value: Buffer.from(value ?? ''),
  headers: Object.fromEntries(Object.entries(headers).map(([header, text]) => [header, Buffer.from(text)])),
})
const wrote = (id: string) =>
  anEvent('ClientMessageReceived', id, at('10:00:00'), {
    message: { type: 'TEXT', text: `said ${id}`, timestamp: at('10:00:00') },
  })
const erasure = anEvent('ChatErased', 'x1', at('11:00:00'), { topic: name, erasureId: 'e1' })

/** An archive of these events. MongoDB has only the keys that existed after `copiedAfter` events. */
const given = async (events: ReadonlyArray<DomainEvent>, copiedAfter: number) => {
  const archive: IncomingRecord[] = []
  const append = async (record: OutgoingRecord) => {
    archive.push(stored(record, archive.length))
    return E.right(undefined)
  }
  const keys = memoryKeys()
  const { spec } = archiver({
    findErased: async () => new Set(),
    keys: dataKeys(keys, right(readKeys(keyFile))),
    decode: fromRecord,
    append,
    reasonOf: String,
    batchHeaderOf: () => undefined,
    changedArchives: async () => [],
    archivedTo: async () => new Map(),
    committed: async () => new Map(),
    missed: async () => ({ again: new Map() }),
  })
  await spec.refuseTopics?.(new Map([[name, 'g1']]))
  const copy = new Map<string, ArchiveKey>()
  const owned = { isCurrent: () => true, done: () => {}, pause: () => () => {} }
  for (const [offset, event] of events.entries()) {
    if (offset === copiedAfter) for (const [id, key] of keys.documents) copy.set(id, key)
    await spec.handle({ topic: name, partition: 0, records: [stored(toRecord(event), offset)] }, owned)
  }
  keys.documents.clear()
  for (const [id, key] of copy) keys.documents.set(id, key)

  const emptied: number[] = []
  const kept: Date[] = []
  const state = {
    projected: 0,
    now: 1_000,
    low: 0,
    isReadable: true,
    present: 'g1',
    inViews: 'g1',
    enrichmentsEmptied: [] as true[],
    known: Number.NaN,
  }
  const of = async (topic: string, offset: number) => new Map(topic === name ? [[0, offset]] : [])
  const receipts: string[] = []
  const { applyToViews, apply, lostKeys, storeKnownUntil } = missedErasures({
    now: () => state.now,
    kafka: {
      ranges: async (topic) => new Map(topic === name ? [[0, { low: state.low, high: events.length }]] : []),
      endOffsets: (topic) => of(topic, events.length),
      committedOffsets: (_, topic) => of(topic, state.projected),
      topicIds: async () => new Map([[name, state.present]]),
      offsetsAt: async () => new Map(),
      readTopic: async (topic, onSlice) => {
        if (topic === `archive-${name}`) await onSlice(archive)
        return state.isReadable ? E.right(undefined) : E.left({ kind: 'transient', reason: 'Kafka does not answer' })
      },
    },
    erasures: {
      newestErasure: async () => (receipts.length === 0 ? undefined : new Date(2_000_000)),
      knownUntil: async () => (Number.isNaN(state.known) ? undefined : new Date(state.known)),
      keepKnownUntil: async (time) => void kept.push(time),
    },
    keys,
    viewsOf: async () => state.inViews,
    empty: async ({ offset }) => void emptied.push(offset),
    emptyEnrichments: async () => void state.enrichmentsEmptied.push(true),
    storeReceipts: async (found) => void receipts.push(...found.map(({ data }) => data.erasureId)),
  })
  const restore = () => restorer(dataKeys(keys, right(readKeys(keyFile))))
  /** The part that is to be archived again, or why nothing may be archived. */
  const lost = async () => {
    const found = await lostKeys()
    return 'refusal' in found ? found.refusal : found.again.get(name)?.get(0)
  }
  const texts = async () =>
    (await restore()(archive)).map((found) =>
      found.kind === 'record' ? JSON.parse(String(found.record.value)).message?.text : found.kind,
    )
  return { state, applyToViews, apply, lost, storeKnownUntil, texts, emptied, kept, receipts }
}

missed('are repeated: a restored data key is destroyed, and the views are emptied', async () => {
  const here = await given([wrote('a'), erasure], 1)
  here.state.projected = 2
  assert.equal(await here.texts(), ['said a', undefined])
  await here.apply()
  assert.equal([await here.texts(), here.emptied, await here.lost()], [[undefined, undefined], [1], undefined])
})

missed('also erase data whose key the restored copy of MongoDB never had', async () => {
  const here = await given([wrote('a'), erasure], 0)
  await here.apply()
  assert.equal([await here.texts(), await here.lost()], [[undefined, undefined], undefined])
})

missed('are not done while the archive cannot be read to its end, and are done at the next call', async () => {
  const here = await given([wrote('a'), erasure], 1)
  here.state.isReadable = false
  assert.match(String(await here.apply().catch((error: unknown) => error)), 'cannot be read: Kafka does not answer')
  assert.equal(here.receipts, [])

  here.state.isReadable = true
  await here.apply()
  assert.equal([await here.texts(), here.receipts], [[undefined, undefined], ['e1']])
})

missed('are left to the projector if it has not processed their markers yet', async () => {
  const here = await given([wrote('a'), erasure], 2)
  here.state.projected = 1
  await here.apply()
  assert.equal(here.emptied, [])
})

missed('remove enrichments too, unless MongoDB is known to have had every erasure', async () => {
  const here = await given([wrote('a'), erasure], 1)
  await here.apply()
  const later = await given([wrote('a'), erasure], 1)
  later.state.known = 3_000_000
  await later.apply()
  const never = await given([wrote('a')], 1)
  await never.apply()
  assert.equal(
    [here, later, never].map(({ state }) => state.enrichmentsEmptied),
    [[true], [], []],
  )
})

missed('are applied to the views without a look at the enrichments by those who read none', async () => {
  const here = await given([wrote('a'), erasure], 1)
  here.state.projected = 2
  await here.applyToViews()
  assert.equal([here.emptied, here.receipts, here.state.enrichmentsEmptied], [[1], ['e1'], []])
  await here.apply()
  assert.equal([here.emptied, here.state.enrichmentsEmptied], [[1], [true]])
})

missed('empty the views too if their topic was lost, since nobody reads their markers there any more', async () => {
  const here = await given([wrote('a'), erasure], 1)
  here.state.present = 'g2'
  await here.apply()
  assert.equal([here.emptied, await here.texts()], [[1], [undefined, undefined]])

  const rebuilt = await given([wrote('a'), erasure], 2)
  Object.assign(rebuilt.state, { present: 'g2', inViews: 'g2' })
  await rebuilt.apply()
  assert.equal(rebuilt.emptied, [])
})

missed('do not hide the loss of a key whose records no topic has any more', async () => {
  const here = await given([wrote('a'), erasure, wrote('b')], 1)
  here.state.low = 3
  await here.apply()
  assert.match(`${await here.lost()}`, /MongoDB has neither the data key .* of bot-conversations nor a marker/)
})

missed(
  'leave to the archiver what its topic still has, after they are applied, and bring back their receipts',
  async () => {
    const here = await given([wrote('a'), erasure, wrote('b'), wrote('c')], 1)
    here.state.low = 2
    assert.equal(await here.texts(), ['said a', undefined, 'lost', 'lost'])
    await here.apply()
    assert.equal(await here.lost(), { from: 2, to: 4 })
    assert.equal(await here.texts(), [undefined, undefined, 'lost', 'lost'])
    assert.equal(here.receipts, ['e1'])
  },
)

missed('are known up to a time once the projector has processed all records that the topics had then', async () => {
  const here = await given([wrote('a'), erasure], 2)
  await here.storeKnownUntil()
  assert.equal(here.kept, [])
  await here.apply()
  await here.lost()
  await here.storeKnownUntil()
  Object.assign(here.state, { now: 2_000, projected: 2 })
  await here.storeKnownUntil()
  Object.assign(here.state, { now: 3_000 })
  await here.storeKnownUntil()
  assert.equal(here.kept, [new Date(1_000), new Date(2_000)])
})

missed.run()
