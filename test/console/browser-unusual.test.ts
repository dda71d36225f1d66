import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { showTimesIn } from '../../src/console/browser/format.ts'
import { minutesWords, stepsOf, sumOf } from '../../src/console/pages/now/minutes.ts'
import {
  type Compared,
  comparedText,
  countBefore,
  isUnusual,
  unusualWords,
} from '../../src/console/pages/now/unusual.ts'

const unusual = suite('whether today is unusual, and what the minutes say')

const chats = (now: number, before: number): Compared => ({ name: 'Agent chats', unit: 'count', now, before })
const queue = (now: number, before: number, sessions = 40): Compared => ({
  name: 'Queue time',
  unit: 'duration',
  now,
  before,
  sessions,
})
const csat = (now: number, before: number, sessions = 40): Compared => ({
  name: 'CSAT',
  unit: 'share',
  now,
  before,
  sessions,
})

const no = 'No: counts and times are within 20 % of the same hours a week ago, shares within 10 points.'
const unknown = 'Not known: there is too little to compare.'
const cases: ReadonlyArray<readonly [rows: ReadonlyArray<Compared>, words: string]> = [
  [[queue(154, 100), chats(82, 50), csat(0.8, 0.8)], 'Yes: queue time +54 %, agent chats +64 %.'],
  [[csat(0.7, 0.85)], 'Yes: CSAT −15 points.'],
  [[queue(120, 100), chats(60, 50), csat(0.8, 0.9)], no],
  [[chats(8, 3)], no],
  [[chats(9, 0)], 'Yes: agent chats +9.'],
  [[queue(154, 100, 2), csat(0.1, 0.9, 2), chats(0, 0)], unknown],
  [[{ ...queue(154, 100), before: undefined }], unknown],
]
for (const [rows, words] of cases)
  unusual(`${rows.map(({ name, now, before }) => `${name} ${now} after ${before}`).join(', ')}`, () =>
    assert.is(unusualWords(rows), words),
  )

unusual('a row is marked if it is unusual, and if it says little', () =>
  assert.equal([queue(154, 100), queue(154, 100, 2), queue(101, 100)].map(comparedText), [
    'unusual: +54 %',
    'few sessions: +54 %',
    '+1 %',
  ]),
)

for (const [weekAgo, before, words, marked] of [
  [null, 0, unknown, 'nothing to compare'],
  [undefined, 0, unknown, 'nothing to compare'],
  [0, 0, 'Yes: agent chats +36.', 'unusual: +36'],
  [null, 30, no, '+20 %'],
] as const)
  unusual(`36 after ${before}, with ${weekAgo} events a week ago, is told as ${marked}`, () => {
    const row = { ...chats(36, before), before: countBefore(before, weekAgo) }
    assert.equal([unusualWords([row]), comparedText(row)], [words, marked])
  })

unusual('the sentence says yes exactly if a row is marked', () =>
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(100), fc.nat(100)), { minLength: 1, maxLength: 8 }), (pairs) => {
      const rows = pairs.map(([now, before]) => chats(now, before))
      assert.is(unusualWords(rows).startsWith('Yes'), rows.some(isUnusual))
    }),
  ),
)

const start = Date.parse('2026-01-31T10:00:00Z')
const minutesOf = (...events: ReadonlyArray<number>) =>
  events.map((each, i) => ({ at: start + i * 60_000, events: each }))

unusual('the busiest minute and the longest gap are named; the minute that is not over is no gap', () => {
  showTimesIn('Etc/UTC')
  assert.is(
    minutesWords(minutesOf(1, 0, 27, 0, 0, 3, 27, 0)),
    'Most at 10:02, 27 a minute. Longest gap: 2 min, from 10:03.',
  )
  assert.is(minutesWords(minutesOf(1, 2, 0)), 'Most at 10:01, 2 a minute. No minute without an event.')
  assert.is(
    minutesWords(minutesOf(1, ...Array.from({ length: 1_385 }, () => 0), 1)),
    'Most at 10:00, 1 a minute. Longest gap: 23 h 5 min, from 10:01.',
  )
  assert.is(minutesWords(minutesOf(0, 0)), '')
  showTimesIn(undefined)
})

unusual('steps have all events of their minutes, and begin with the first minute', () =>
  fc.assert(
    fc.property(
      fc.array(fc.nat(50), { minLength: 1, maxLength: 200 }),
      fc.integer({ min: 1, max: 15 }),
      (events, size) => {
        const minutes = minutesOf(...events)
        const steps = stepsOf(minutes, size)
        assert.is(sumOf(steps), sumOf(minutes))
        assert.is(steps[0]?.at, start)
        assert.is(steps.length, Math.ceil(events.length / size))
      },
    ),
  ),
)

unusual.run()
