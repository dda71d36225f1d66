import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DailyStatsDocument } from '../../contracts/views/daily-stats.ts'
import {
  changeText,
  daysBetween,
  figureOf,
  totalsOf,
  valueOfRows,
  valueText,
} from '../../src/console/browser/figures.ts'
import { bytes, count, cut, duration, tickingDuration, timeText } from '../../src/console/browser/format.ts'
import type { Shown } from '../../src/console/documents.ts'
import { definitions } from '../../src/console/pages/statistics/definitions.ts'
import { arbitraryOf } from '../support/arbitraries.ts'

const figures = suite('figures in words')

figures('a duration has two units at most', () =>
  assert.equal(
    [0, 640, 999.7, 1_000, 9_949, 12_300, 59_600, 133_000, 3_600_000, 11_100_000, 187_200_000].map(duration),
    ['0 ms', '640 ms', '1 s', '1 s', '9.9 s', '12 s', '1 min', '2 min 13 s', '1 h', '3 h 5 min', '2 d 4 h'],
  ),
)

figures('a running duration is shown in whole seconds, and is empty before it starts', () =>
  assert.equal([-5_000, 900, 1_999, 61_000].map(tickingDuration), ['0 s', '0 s', '1 s', '1 min 1 s']),
)

figures('a time of today is shown without the day, and one of this year without the year', () => {
  const now = new Date(2026, 10, 24, 15, 0, 0).getTime()
  const text = (...parts: [number, number, number]) => timeText(new Date(...parts, 9, 5, 7).toISOString(), now)
  assert.equal(
    [text(2026, 10, 24), text(2026, 10, 3), text(2025, 0, 31), timeText('soon', now)],
    ['09:05:07', '3 Nov, 09:05:07', '31 Jan 2025, 09:05:07', 'soon'],
  )
})

figures('sizes and numbers are short', () =>
  assert.equal(
    [bytes(999), bytes(20_340), bytes(1_048_576), count(1_204.567)],
    ['999 B', '20.3 kB', '1 MB', '1,204.57'],
  ),
)

figures('a text is never cut inside a character', () => assert.equal([cut('a😀', 2), cut('a😀', 3)], ['a', 'a😀']))

figures('a value is formatted by its unit', () =>
  assert.equal(
    [valueText(0.8125, 'share'), valueText(1.5, 'ratio'), valueText(640, 'duration'), valueText(undefined, 'share')],
    ['81.3 %', '1.5', '640 ms', '–'],
  ),
)

figures('a change is in points for shares, otherwise in percent, and never empty', () =>
  assert.equal(
    [
      changeText(0.8, 0.75, 'share'),
      changeText(90, 120, 'count'),
      changeText(1, 0, 'count'),
      changeText(2_500, 0, 'duration'),
      changeText(5, 5, 'count'),
      changeText(0.8, 0.8, 'share'),
      changeText(0.8, 0.8001, 'share'),
      changeText(1_001, 1_000, 'duration'),
      changeText(undefined, 5, 'count'),
      changeText(0.8, undefined, 'share'),
    ],
    [
      '+5 points',
      '−25 %',
      '+1',
      '+2.5 s',
      'same',
      'same',
      'about the same',
      'about the same',
      'nothing to compare',
      'nothing to compare',
    ],
  ),
)

const rows = suite('rows of statistics')

const share = { name: 'figures.containment', unit: 'share' } as const
const accepted = { name: 'chats.accepted', unit: 'count' } as const
const row = (day: string, id: string, numerator: number, denominator: number) => ({
  day,
  id,
  figures: { containment: { numerator, denominator, value: 0.5 } },
  chats: { accepted: denominator },
})

rows('are grouped by agent or by day', () => {
  const [a, b, c] = [row('2026-11-23', '12', 1, 2), row('2026-11-23', '55', 1, 1), row('2026-11-24', '12', 3, 3)]
  assert.equal(totalsOf([a, b, c], 'agent'), [
    { id: '12', rows: [a, c] },
    { id: '55', rows: [b] },
  ])
  assert.equal(
    totalsOf([a, b, c], 'day').map(({ id }) => id),
    ['2026-11-23', '2026-11-24'],
  )
})

rows('of several days are added before they are divided', () => {
  const two = [row('2026-11-23', '12', 1, 2), row('2026-11-24', '12', 3, 3)]
  assert.equal([valueOfRows(two, share), valueOfRows(two, accepted)], [0.8, 5])
})

rows('have no value if there is no data', () =>
  assert.equal(
    [
      valueOfRows([row('', '', 0, 0)], share),
      valueOfRows([null, { figures: {} }], share),
      valueOfRows([null], accepted),
    ],
    [undefined, undefined, undefined],
  ),
)

const others = Object.fromEntries(['AccountId', 'Day', 'BsonDate'].map((name) => [name, fc.constant(name)]))

rows('every number that the server defines is in each document of the contract', () => {
  fc.assert(
    fc.property(arbitraryOf(DailyStatsDocument, others), (document) => {
      assert.equal(
        definitions.filter((definition) => figureOf(document as Shown<DailyStatsDocument>, definition) === undefined),
        [],
      )
    }),
  )
})

rows('days are calendar days in any time zone', () => {
  assert.equal(daysBetween('2026-02-27', '2026-03-01'), ['2026-02-27', '2026-02-28', '2026-03-01'])
  assert.equal([daysBetween('2026-03-01', '2026-02-27'), daysBetween('never', '2026-02-27')], [[], []])
})

figures.run()
rows.run()
