import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  failedPart,
  hasFailedPart,
  type Sort,
  shownPart,
  sortedBy,
  valuesOf,
} from '../../src/console/browser/statistics.ts'

const statistics = suite('lines and rows of statistics')

const today = '2026-01-31'
const started = { name: 'sessions.started', unit: 'count' }
const row = (day: string, count?: number) => ({ day, sessions: count === undefined ? {} : { started: count } })

statistics('a line has null for a day without a value and for today, unless today is its only day', () => {
  const rows = [row('2026-01-29', 3), row('2026-01-30'), row(today, 1)]
  const days = ['2026-01-28', '2026-01-29', '2026-01-30', today]
  assert.equal(valuesOf(rows, days, started, today), [null, 3, null, null])
  assert.equal(valuesOf(rows, [today], started, today), [1])
})

statistics('containment without returns is drawn once a client can no longer return', () => {
  const strict = { name: 'figures.strictContainment', unit: 'share' }
  const figures = { strictContainment: { numerator: 1, denominator: 2 } }
  const days = ['2026-01-28', '2026-01-29']
  const rows = days.map((day) => ({ day, figures }))
  assert.equal(valuesOf(rows, days, strict, today), [0.5, null])
})

statistics('failed replies are those of an account, so they are not shown for one bot, agent or widget', () =>
  assert.equal(
    [
      hasFailedPart('day', ''),
      hasFailedPart('bot', ''),
      hasFailedPart('bot', 'acme'),
      hasFailedPart('agent', ''),
      hasFailedPart('widget', ''),
    ],
    [true, true, false, false, false],
  ),
)

statistics('the part is the one in the address if the page has it, or the first one', () =>
  assert.equal(
    [shownPart(['Bot', failedPart], failedPart), shownPart(['Bot'], failedPart), shownPart([], failedPart)],
    [failedPart, 'Bot', ''],
  ),
)

const cases: ReadonlyArray<readonly [what: string, sort: Sort | undefined, expected: string]> = [
  ['in the order of the answer until a column is chosen', undefined, 'b d a c'],
  ['by the names that are shown', { name: '', isUp: true }, 'c b a d'],
  ['by the names, backwards', { name: '', isUp: false }, 'd a b c'],
  ['by a figure, those without a value last', { name: started.name, isUp: true }, 'a c b d'],
  ['by a figure, largest first, those without a value last', { name: started.name, isUp: false }, 'c a b d'],
]
for (const [what, sort, expected] of cases)
  statistics(`rows are sorted ${what}`, () => {
    const day = '2026-01-20'
    const totals = [
      { id: 'b', rows: [row(day)] },
      { id: 'd', rows: [] },
      { id: 'a', rows: [row(day, 2), row(day, 1)] },
      { id: 'c', rows: [row(day, 4)] },
    ]
    const names: Readonly<Record<string, string>> = { a: 'Mia', b: 'Kim', c: 'Ann', d: 'Zoe' }
    const sorted = sortedBy(totals, sort, [started], (id) => names[id] ?? id, today)
    assert.is(sorted.map(({ id }) => id).join(' '), expected)
  })

statistics.run()
