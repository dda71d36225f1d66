import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DailyStatsDocument } from '../../contracts/views/daily-stats.ts'
import { cellAt, columnsOf, csv } from '../../src/console/csv.ts'
import { definitions } from '../../src/console/definitions.ts'
import { marksOf } from '../../src/domain/personal-data.ts'

const text = suite('CSV')

text('cells with commas, quotes and line breaks are quoted; lines end with CR LF', () => {
  assert.is(
    csv([
      ['day', 'id', 'count'],
      ['2026-01-31', 'a "b", c\nd', 3],
      [null, undefined, 0.5],
    ]),
    ['day,id,count\r\n', '2026-01-31,"a ""b"", c\nd",3\r\n', ',,0.5\r\n'].join(''),
  )
})

for (const first of ['=', '+', '-', '@', '\t', '\r'])
  text(
    `text that begins with ${JSON.stringify(first)} is not a formula in a spreadsheet, and a number stays a number`,
    () => {
      const [cell = ''] = csv([[`${first}HYPERLINK()`]])
        .split('\r\n')
        .filter((line) => line !== '')
      assert.ok(cell.replace(/^"/, '').startsWith("'"), cell)
      assert.is(csv([[-1]]), '-1\r\n')
    },
  )

/** A parser of files as RFC 4180 describes them. */
const parsed = (file: string): ReadonlyArray<ReadonlyArray<string>> => {
  const rows: string[][] = []
  let row: string[] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y
  for (let found = cell.exec(file); found !== null; found = cell.exec(file)) {
    row.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '')
    if (found[3] === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}

text('a CSV reader finds the same cells for any texts', () => {
  const cells = fc.array(fc.string({ unit: fc.constantFrom(...',"\r\n=a é') }), { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(fc.array(cells, { minLength: 1 }), (rows) => {
      const guarded = rows.map((row) => row.map((cell) => (/^[=\r]/.test(cell) ? `'${cell}` : cell)))
      assert.equal(parsed(csv(rows)), guarded)
    }),
  )
})

const columns = columnsOf(marksOf(DailyStatsDocument))

text('a day has a column for each of its numbers, in the order of the contract', () => {
  assert.equal(columns.slice(0, 10), [
    '_id',
    'accountId',
    'day',
    'asOf',
    'sessions.agent.started',
    'sessions.agent.open',
    'sessions.bot.started',
    'sessions.bot.open',
    'figures.containment.numerator',
    'figures.containment.denominator',
  ])
  assert.is(cellAt({ sessions: { bot: { open: 3 } } }, 'sessions.bot.open'), 3)
  assert.is(cellAt({ sessions: {} }, 'sessions.bot.open'), undefined)
  assert.is(cellAt({}, 'constructor.name'), undefined)
})

text('each number of a day has a definition, and each definition a number', () => {
  const about = new Set(columns.filter((path) => !/^(_id|accountId|day|asOf|nextAt)$/.test(path)))
  const named = [...about].map((path) => (path.startsWith('figures.') ? path.split('.').slice(0, 2).join('.') : path))
  assert.equal(definitions.map(({ name }) => name).sort(), [...new Set(named)].sort())
})

text.run()
