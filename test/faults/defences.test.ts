import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { defences, type Edit, weakened } from './defences.ts'

const controls = suite('defences that the negative controls switch off')

for (const [name, edits] of Object.entries<ReadonlyArray<Edit>>(defences))
  controls(`${name}: stands in the source where the control looks for it`, () => {
    for (const [file, mine] of Map.groupBy(edits, (edit) => edit.file)) {
      const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
      assert.is.not(weakened(source, mine), source)
    }
  })

controls('an edit that does not fit is told', () => {
  assert.throws(() => weakened('a', [{ file: 'f', find: 'b', put: 'c' }]), 'f does not have this once: b')
})

controls.run()
