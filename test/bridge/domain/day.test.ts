import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Day } from '../../../contracts/primitives.ts'
import { dayOf, spanOf, timeZoneNamed, untilTimeOfDay } from '../../../src/bridge/domain/day.ts'

const days = suite('days of a time zone')

const cases: ReadonlyArray<readonly [string, string, string, string]> = [
  ['a time in UTC', '2026-01-31T23:59:59.999Z', 'UTC', '2026-01-31'],
  ['late in the evening, where it is the next day already', '2026-01-31T23:00:00.000Z', 'Europe/Berlin', '2026-02-01'],
  [
    'early in the morning, where it is still the day before',
    '2026-03-01T04:59:59.999Z',
    'America/New_York',
    '2026-02-28',
  ],
  ['in summer time', '2026-07-01T22:00:00.000Z', 'Europe/Berlin', '2026-07-02'],
  ['on a day that a country skipped', '2011-12-30T10:00:00.000Z', 'Pacific/Apia', '2011-12-31'],
  ['the first moment of the calendar, moved to its edge', '0000-01-01T00:00:00.000Z', 'America/New_York', '0000-01-01'],
  ['the last moment of the calendar, moved to its edge', '9999-12-31T23:59:59.999Z', 'Europe/Berlin', '9999-12-31'],
]
for (const [name, time, zone, day] of cases) days(name, () => assert.is(dayOf(new Date(time), zone), day))

days('have 23 and 25 hours where clocks are changed', () => {
  const hours = (day: string) => {
    const { from, to } = spanOf(day as Day, 'Europe/Berlin')
    return (to.getTime() - from.getTime()) / 3_600_000
  }
  assert.equal(['2026-03-28', '2026-03-29', '2026-10-25'].map(hours), [24, 23, 25])
})

days('of other days end at the same time of day, also at the end of summer time', () => {
  const at = new Date('2026-11-02T11:30:00Z')
  const until = (day: string) => untilTimeOfDay(day as Day, at, 'Europe/Berlin')
  assert.equal(
    [until('2026-11-02'), until('2026-10-19')],
    [
      { from: new Date('2026-11-01T23:00:00Z'), to: at },
      { from: new Date('2026-10-18T22:00:00Z'), to: new Date('2026-10-19T10:30:00Z') },
    ],
  )
})

days('begin and end as dayOf says', () => {
  const zones = fc.constantFrom(
    'UTC',
    'Europe/Berlin',
    'America/St_Johns',
    'Pacific/Apia',
    'Asia/Kolkata',
    'Africa/Cairo',
  )
  const times = fc.date({ min: new Date('1975-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(times, zones, (time, zone) => {
      const day = dayOf(time, zone)
      const { from, to } = spanOf(day, zone)
      assert.ok(from <= time && time < to)
      assert.is(dayOf(from, zone), day)
      assert.is.not(dayOf(to, zone), day)
      assert.is.not(dayOf(new Date(from.getTime() - 1), zone), day)
    }),
  )
})

days('accept the name of a time zone in upper or lower case, and no offsets', () => {
  assert.equal(['UTC', 'europe/berlin', 'Europe/Nowhere', '+02:00', '', 'America/New_York '].map(timeZoneNamed), [
    'UTC',
    'Europe/Berlin',
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

days.run()
