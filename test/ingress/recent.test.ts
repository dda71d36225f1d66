import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { recent } from '../../src/ingress/recent.ts'

const memory = suite('recent')

memory('the newest `limit` entries are remembered, and never more than twice as many', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10 }), fc.array(fc.nat(30), { maxLength: 100 }), (limit, keys) => {
      const entries = recent<number>(limit)
      for (const key of keys) entries.set(String(key), key)
      const newest = [...new Set(keys.toReversed())].slice(0, limit)
      for (const key of newest) assert.is(entries.get(String(key)), key)
      const known = [...new Set(keys)].filter((key) => entries.get(String(key)) !== undefined)
      assert.ok(known.length <= 2 * limit)
    }),
  )
})

memory('what is forgotten on purpose is forgotten', () => {
  const entries = recent<number>(1)
  entries.set('a', 1)
  entries.set('b', 2)
  entries.delete('a')
  assert.equal([entries.get('a'), entries.get('b')], [undefined, 2])
})

memory.run()
