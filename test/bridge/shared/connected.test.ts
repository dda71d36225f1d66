import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connected } from '../../../src/bridge/shared/connected.ts'

const groups = suite('connected')
const namesOf = (names: ReadonlyArray<string>) => names

groups('items that share a name are one group, also through others; those without a name are left out', () => {
  const items = [['a', 'b'], ['c'], [], ['d'], ['b', 'd']]

  assert.equal(connected(items, namesOf), [[['a', 'b'], ['d'], ['b', 'd']], [['c']]])
})

groups('no two groups share a name, and no group falls into two that do not', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.constantFrom(...'abcdefgh'), { maxLength: 3 }), { maxLength: 8 }), (items) => {
      const found = connected(items, namesOf)
      assert.equal(found.flat().length, items.filter(({ length }) => length > 0).length)
      const names = found.map((those) => new Set(those.flat()))
      assert.is(
        new Set(names.flatMap((of) => [...of])).size,
        names.reduce((sum, { size }) => sum + size, 0),
      )
      for (const those of found) {
        const reached = new Set(those[0])
        for (let size = -1; size !== reached.size; ) {
          size = reached.size
          for (const item of those)
            if (item.some((name) => reached.has(name))) for (const name of item) reached.add(name)
        }
        assert.ok(those.every((item) => item.some((name) => reached.has(name))))
      }
    }),
  )
})

groups.run()
