import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Group, optimisticUpdate } from '../../../src/bridge/mongo/optimistic-update.ts'
import type { Stored } from '../../../src/bridge/mongo/store.ts'

const settling = suite('optimistic updates')

type Counter = Stored & { readonly applied: Readonly<Record<string, number>>; readonly ids: ReadonlyArray<number> }

const add =
  (offset: number) =>
  (current: Counter | undefined): Counter =>
    offset <= (current?.applied.log ?? -1) && current !== undefined
      ? current
      : { _id: 'a', applied: { log: offset }, ids: [...(current?.ids ?? []), offset] }
const group = (...offsets: ReadonlyArray<number>): Group<Counter> => ({
  collection: 'counters',
  id: 'a',
  evolve: (current) => [offsets.reduce<Counter | undefined>((it, offset) => add(offset)(it), current) as Counter],
})

/** One collection in memory; `meanwhile` runs between each read and write. */
const memory = (meanwhile: (documents: Map<string, Counter>) => void = () => {}) => {
  const documents = new Map<string, Counter>()
  const log: string[] = []
  const run = optimisticUpdate<Counter>({
    read: async (_, ids) => {
      log.push('read')
      return new Map([...documents].filter(([id]) => ids.includes(id)))
    },
    write: async (_, writes) => {
      meanwhile(documents)
      log.push('write')
      const stale = writes.filter(({ before, after }) => documents.get(after._id)?.applied.log !== before?.applied.log)
      for (const write of writes) if (!stale.includes(write)) documents.set(write.after._id, write.after)
      return stale.length === 0 ? 'written' : 'overtaken'
    },
    written: async () => {
      log.push('written')
    },
    sleep: async () => {
      log.push('sleep')
    },
  })
  return { run, log, documents }
}

settling('reads, writes, and resolves when it is written', async () => {
  const { run, log, documents } = memory()
  await run([group(0, 1, 2)])
  assert.equal(log, ['read', 'write', 'written'])
  assert.equal(documents.get('a'), { _id: 'a', applied: { log: 2 }, ids: [0, 1, 2] })
})

settling('inserts a new document without a read, and reads it if it is there already', async () => {
  const { run, log, documents } = memory()
  const isNew = (...offsets: ReadonlyArray<number>): Group<Counter> => ({ ...group(...offsets), isNew: true })
  await run([isNew(0)])
  assert.equal(log, ['write', 'written'])
  log.length = 0
  await run([isNew(0, 1)])
  assert.equal(log, ['write', 'sleep', 'read', 'write', 'written'])
  assert.equal(documents.get('a'), { _id: 'a', applied: { log: 1 }, ids: [0, 1] })
})

settling('writes nothing if all events were processed before', async () => {
  const { run, log } = memory()
  await run([group(0, 1, 2)])
  log.length = 0
  await run([group(1, 2)])
  assert.equal(log, ['read', 'written'])
})

settling('folds again if another writer has changed the document', async () => {
  let once = true
  const { run, log, documents } = memory((all) => {
    if (once) all.set('a', { _id: 'a', applied: { log: 1 }, ids: [0, 1] })
    once = false
  })
  await run([group(0, 1, 2)])
  assert.equal(log, ['read', 'write', 'sleep', 'read', 'write', 'written'])
  assert.equal(documents.get('a'), { _id: 'a', applied: { log: 2 }, ids: [0, 1, 2] })
})

settling('reports documents that an overtaken attempt has written, with their old state', async () => {
  const told: (ReadonlyArray<number> | undefined)[] = []
  let results: ReadonlyArray<'written' | 'overtaken'> = ['overtaken', 'written']
  let stored: Counter | undefined
  await optimisticUpdate<Counter>({
    read: async () => new Map(stored === undefined ? [] : [['a', stored]]),
    write: async (_, writes) => {
      stored = writes[0]?.after
      const [result = 'written', ...others] = results
      results = others
      return result
    },
    written: async (writes) => {
      told.push(...writes.map(({ before }) => before?.ids))
    },
    sleep: async () => {},
  })([group(0, 1)])
  assert.equal(told, [undefined, [0, 1]])
})

settling('gives up when it is overtaken again and again', async () => {
  let offset = 100
  const { run } = memory((all) => {
    offset += 1
    all.set('a', { _id: 'a', applied: { log: offset - 1000 }, ids: [] })
  })
  const outcome = await run([group(2_000)]).catch((error: Error) => error.message)
  assert.equal(
    outcome,
    'gave up after 12 attempts: other writers were faster, or a majority does not have the newest version yet',
  )
})

settling.run()
