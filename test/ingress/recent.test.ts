import { hash } from 'node:crypto'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { recent } from '../../src/ingress/recent.ts'

const digest = (key: number) => hash('sha256', String(key), 'base64url')
const memory = suite('recent')

memory('the newest `limit` entries are remembered, and never more than twice as many', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10 }), fc.array(fc.nat(30), { maxLength: 100 }), (limit, keys) => {
      const entries = recent(limit)
      for (const key of keys) entries.set(digest(key), key)
      const newest = [...new Set(keys.toReversed())].slice(0, limit)
      for (const key of newest) assert.is(entries.get(digest(key)), key)
      const known = [...new Set(keys)].filter((key) => entries.get(digest(key)) !== undefined)
      assert.ok(known.length <= 2 * limit)
    }),
  )
})

memory('what is set again has its new value, however full the memory is', () => {
  const entries = recent(1_000)
  for (const round of [1, 2]) for (let key = 0; key < 1_000; key++) entries.set(digest(key), key * round)
  for (let key = 0; key < 1_000; key++) assert.is(entries.get(digest(key)), key * 2)
  assert.is(entries.get(digest(1_000)), undefined)
})

memory.run()
