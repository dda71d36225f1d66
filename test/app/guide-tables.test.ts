import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { guideTables, withTables } from '../../src/app/guides/guide-tables.ts'

const folder = fileURLToPath(new URL('../../contracts/guides/', import.meta.url))

const tables = suite('tables of the guides')

for (const guide of new Set(guideTables.map((each) => each.guide)))
  tables(`${guide} has its tables as the lists of the code make them`, () => {
    const text = readFileSync(`${folder}${guide}`, 'utf8')
    assert.is(text, withTables(guide, text), 'run npm run contracts')
  })

tables('a guide without a place for its table is refused', () => {
  assert.throws(() => withTables('downstream-team.md', 'no table'), /no place for the table topics/)
})

tables.run()
