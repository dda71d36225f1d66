import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DailyStatsDocument } from '../../contracts/views/daily-stats.ts'
import { marksOf } from '../../src/bridge/domain/person/personal-data.ts'
import { cellAt, columnsOf, csv, csvOfPages } from '../../src/console/csv.ts'
import { definitions } from '../../src/console/pages/statistics/definitions.ts'

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

/** The lines of a file of this many rows, and its columns in each. */
const savedOf = async (size: number, signal: AbortSignal) => {
  const pageAfter = async (after = 0, limit: number) => {
    const rows = Array.from({ length: Math.min(limit, size - after) }, (_, i) => after + i + 1)
    const end = after + rows.length
    return E.right({ rows, ...(end < size && { next: end }) })
  }
  const file = await csvOfPages(['row', 'double'], (row: number) => [row, 2 * row], pageAfter, undefined, signal)
  return parsed(E.isRight(file) ? file.right : '')
}

const maxRows = 10_000
const cut = 'Rows are missing: a file has at most 10,000. Choose fewer days, and save one file for each part.'
const cutShort: ReadonlyArray<readonly [size: number, lines: number, last: string]> = [
  [0, 1, 'row'],
  [1_200, 1_201, '1200'],
  [maxRows, maxRows + 1, '10000'],
  [maxRows + 1, maxRows + 2, cut],
]
for (const [size, lines, last] of cutShort)
  text(`of ${size} rows no row is left out in silence`, async () => {
    const file = await savedOf(size, new AbortController().signal)
    assert.equal([file.length, file.at(-1)?.[0]], [lines, last])
    assert.ok(file.every((line) => line.length === 2))
  })

text('a file that is saved while the bridge stops says that rows are missing', async () => {
  const file = await savedOf(1_200, AbortSignal.abort())
  assert.equal(file.slice(1), [['Rows are missing: the bridge was stopped. Save the file again.', '']])
})

text.run()
