import { hash } from 'node:crypto'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { recent, recentMemory } from '../../src/ingress/recent.ts'

const digest = (key: number) => hash('sha256', String(key), 'base64url')
const memory = suite('recent')

memory('the newest `limit` entries are remembered, and never more than twice as many', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10 }), fc.array(fc.nat(30), { maxLength: 100 }), (limit, keys) => {
      const entries = recent(recentMemory(limit))
      for (const key of keys) entries.set(digest(key), key)
      const newest = [...new Set(keys.toReversed())].slice(0, limit)
      for (const key of newest) assert.is(entries.get(digest(key)), key)
      const known = [...new Set(keys)].filter((key) => entries.get(digest(key)) !== undefined)
      assert.ok(known.length <= 2 * limit)
    }),
  )
})

memory('what is set again has its new value, however full the memory is', () => {
  const entries = recent(recentMemory(1_000))
  for (const round of [1, 2]) for (let key = 0; key < 1_000; key++) entries.set(digest(key), key * round)
  for (let key = 0; key < 1_000; key++) assert.is(entries.get(digest(key)), key * 2)
  assert.is(entries.get(digest(1_000)), undefined)
})

memory('what one thread has written another finds', () => {
  const shared = recentMemory(10)
  const [one, other] = [recent(shared), recent(shared)]
  one.set(digest(1), 0)
  other.set(digest(2), 1_800_000_000_000)
  assert.equal([other.get(digest(1)), one.get(digest(2)), one.get(digest(3))], [0, 1_800_000_000_000, undefined])
})

memory(
  'threads that write at once, while generations come and go, find what is newest, and nothing with the value of another key',
  async () => {
    const shared = recentMemory(1_000)
    const told = await Promise.all(
      [0, 1, 2].map(async (from) => {
        const workerData = { memory: shared, from, to: 6_000, step: from === 2 ? 1 : 2 }
        const [counts] = await once(
          new Worker(new URL('./recent-writer.ts', import.meta.url), { workerData }),
          'message',
        )
        return counts
      }),
    )
    assert.equal(
      told.map(({ wrong }) => wrong),
      [0, 0, 0],
    )
    assert.ok(told.every(({ found }) => found > 0))
  },
)

memory.run()
