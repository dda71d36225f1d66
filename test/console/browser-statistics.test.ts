import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { daysBetween } from '../../src/console/browser/figures.ts'
import { dayPlus, daysSinceMonday } from '../../src/console/browser/format.ts'
import {
  failedPart,
  firstDays,
  firstGrouping,
  firstSort,
  hasFailedPart,
  lastWeeks,
  nextSort,
  periodBefore,
  type Sort,
  sameOfLastWeek,
  shownPart,
  sortedBy,
  valuesOf,
} from '../../src/console/pages/statistics/statistics.ts'

const statistics = suite('lines and rows of statistics')

const today = '2026-01-31'
const started = { name: 'calls.total', unit: 'count' } as const
const row = (day: string, count?: number) => ({ day, figures: {}, calls: count === undefined ? {} : { total: count } })

statistics('a line has null for a day without a value and for today, unless today is its only day', () => {
  const rows = [row('2026-01-29', 3), row('2026-01-30'), row(today, 1)]
  const days = ['2026-01-28', '2026-01-29', '2026-01-30', today]
  assert.equal(valuesOf(rows, days, started, today), [null, 3, null, null])
  assert.equal(valuesOf(rows, [today], started, today), [1])
})

statistics('containment without returns is drawn once a client can no longer return', () => {
  const strict = { name: 'figures.strictContainment', unit: 'share' } as const
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

/** 31 January 2026 is a Saturday. */
const periods: ReadonlyArray<readonly [what: string, from: string, to: string, before: object]> = [
  ['this week', '2026-01-26', today, { from: '2026-01-19', to: '2026-01-24', until: 'now' }],
  ['last week', '2026-01-19', '2026-01-25', { from: '2026-01-12', to: '2026-01-18' }],
  ['7 days', '2026-01-25', today, { from: '2026-01-18', to: '2026-01-24', until: 'now' }],
  ['30 days', '2026-01-02', today, { from: '2025-12-03', to: '2026-01-01', until: 'now' }],
  ['today', today, today, { from: '2026-01-24', to: '2026-01-24', until: 'now' }],
  ['two weeks that are over', '2026-01-05', '2026-01-18', { from: '2025-12-22', to: '2026-01-04' }],
]
for (const [what, from, to, before] of periods)
  statistics(`the period before ${what} is as long, and ends at the same time of day`, () =>
    assert.equal(periodBefore({ from, to }, today), before),
  )

const aDay = fc.integer({ min: 0, max: 20_000 }).map((n) => dayPlus('2000-01-01', n))

statistics('the period before is as long and over when the period begins; up to a week it has the same weekdays', () =>
  fc.assert(
    fc.property(aDay, fc.integer({ min: 1, max: 400 }), (from, length) => {
      const to = dayPlus(from, length - 1)
      const before = periodBefore({ from, to }, to)
      assert.is(daysBetween(before.from, before.to).length, length)
      assert.ok(before.to < from)
      if (length <= 7) assert.is(daysSinceMonday(before.from), daysSinceMonday(from))
    }),
  ),
)

statistics('the last four weeks are whole and without a gap, and the first ends today', () =>
  fc.assert(
    fc.property(aDay, (day) => {
      const weeks = lastWeeks(day)
      const [newest, ...others] = weeks
      assert.equal([weeks.length, newest?.to, firstDays('agent', day)], [4, day, newest])
      assert.ok(weeks.every(({ from }) => daysSinceMonday(from) === 0))
      for (const [i, { to }] of others.entries()) assert.is(dayPlus(to, 1), weeks[i]?.from)
    }),
  ),
)

statistics('a lead sees the team first, unless the address names a part; others see the account by day', () =>
  assert.equal(
    [firstGrouping(['viewer', 'lead'], ''), firstGrouping(['lead'], failedPart), firstGrouping(['viewer'], '')],
    ['agent', 'day', 'day'],
  ),
)

statistics('this week stands beside the same part of the week before', () =>
  assert.equal(sameOfLastWeek(today), { from: '2026-01-19', to: '2026-01-24', until: 'now' }),
)

statistics('the busiest agents are first; a heading sorts from the largest on, and pressed again the other way', () => {
  assert.equal([firstSort('agent')?.isUp, firstSort('day')], [false, undefined])
  const once = nextSort(firstSort('agent'), 'figures.csat')
  assert.equal(once, { name: 'figures.csat', isUp: false })
  assert.equal(nextSort(once, 'figures.csat'), { name: 'figures.csat', isUp: true })
  assert.equal(nextSort(once, 'figures.csat', true), { name: 'figures.csat', isUp: false, ofChange: true })
  assert.equal(nextSort(once, ''), { name: '', isUp: true })
})

const cases: ReadonlyArray<readonly [what: string, sort: Sort | undefined, expected: string]> = [
  ['in the order of the answer until a column is chosen', undefined, 'b d a c'],
  ['by the names that are shown', { name: '', isUp: true }, 'c b a d'],
  ['by the names, backwards', { name: '', isUp: false }, 'd a b c'],
  ['by a figure, those without a value last', { name: started.name, isUp: true }, 'a c b d'],
  ['by a figure, largest first, those without a value last', { name: started.name, isUp: false }, 'c a b d'],
  ['by a change, the largest first', { name: started.name, isUp: false, ofChange: true }, 'a c b d'],
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
    const before = new Map([
      ['a', [row(day, 1)]],
      ['c', [row(day, 5)]],
    ])
    const names: Readonly<Record<string, string>> = { a: 'Mia', b: 'Kim', c: 'Ann', d: 'Zoe' }
    const sorted = sortedBy(totals, sort, [started], (id) => names[id] ?? id, today, before)
    assert.is(sorted.map(({ id }) => id).join(' '), expected)
  })

statistics.run()
