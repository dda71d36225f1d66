import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { changeSize, judged } from '../../src/console/browser/changes.ts'
import type { FigureName } from '../../src/console/pages/statistics/definitions.ts'
import { busiestFirst, teamWords } from '../../src/console/pages/statistics/team-words.ts'

const words = suite('the team in words')

const row = (started: number, responseMs?: number) => ({
  day: '2026-11-24',
  sessions: { agent: { started } },
  figures:
    responseMs === undefined ? {} : { firstResponseAgent: { numerator: responseMs * started, denominator: started } },
})
const total = (id: string, started: number, responseMs?: number) => ({ id, rows: [row(started, responseMs)] })
const names: Readonly<Record<string, string>> = { a1: 'Felix Novak', a2: 'Tomás Rivera', a3: 'Mia Lindqvist' }
const nameOf = (id: string) => names[id] ?? id
const totals = [total('a2', 30, 58_000), total('a1', 56, 40_000), total('a3', 4, 90_000), total('a4', 9, 66_000)]
const before = new Map([
  ['a1', [row(50, 39_000)]],
  ['a2', [row(20, 50_000)]],
  ['a3', [row(40, 30_000)]],
  ['a4', [row(9, 33_000)]],
])

words('they name who had the most sessions, and who is slower with enough sessions, the slowest first', () =>
  assert.is(
    teamWords(totals, before, nameOf),
    'Most: Felix Novak (56). Slower: a4, first response +100 %; Tomás Rivera, +16 %.',
  ),
)

words('they say nothing of slower agents without a period before, and that nobody is slower', () => {
  assert.is(teamWords(totals, undefined, nameOf), 'Most: Felix Novak (56).')
  assert.is(teamWords(totals, new Map(), nameOf), 'Most: Felix Novak (56).')
  const same = new Map(totals.map(({ id, rows }) => [id, rows]))
  assert.is(teamWords(totals, same, nameOf), 'Most: Felix Novak (56). Nobody is slower.')
  assert.is(teamWords([total('a1', 0)], undefined, nameOf), '')
})

words('the busiest are first', () =>
  assert.equal(
    busiestFirst(totals).map(({ id }) => id),
    ['a1', 'a2', 'a4', 'a3'],
  ),
)

const changes: ReadonlyArray<
  readonly [name: FigureName, unit: string, now: number, before: number, expected: unknown]
> = [
  ['figures.firstResponseAgent', 'duration', 58, 50, 'worse'],
  ['figures.firstResponseAgent', 'duration', 50, 58, 'better'],
  ['figures.firstResponseAgent', 'duration', 51, 50, undefined],
  ['figures.csat', 'share', 0.9, 0.8, 'better'],
  ['figures.csat', 'share', 0.8, 0.9, 'worse'],
  ['figures.csat', 'share', 0.81, 0.8, undefined],
  ['sessions.agent.started', 'count', 10, 1, undefined],
  ['figures.handleTime', 'duration', 10, 1, undefined],
  ['figures.queueTime', 'duration', 10, 0, undefined],
]
for (const [name, unit, now, then, expected] of changes)
  words(`${name} of ${now} after ${then} is ${expected ?? 'neither better nor worse'}`, () =>
    assert.is(judged(name, unit, changeSize(now, then, unit)), expected),
  )

words('a change that is better one way is worse the other way', () =>
  fc.assert(
    fc.property(
      fc.constantFrom('figures.csat' as const, 'figures.queueTime' as const),
      fc.double({ min: 0.1, max: 5, noNaN: true }),
      (name, size) => {
        const both = [judged(name, 'duration', size), judged(name, 'duration', -size)]
        assert.equal(both.toSorted(), ['better', 'worse'])
      },
    ),
  ),
)

words.run()
