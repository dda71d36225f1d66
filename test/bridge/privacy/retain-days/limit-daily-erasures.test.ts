import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { limitDailyErasures, limitOf } from '../../../../src/bridge/privacy/retain-days/limit-daily-erasures.ts'

const limiting = suite('the daily limit of privacy.retainDays')

const named = (letter: string, count: number) => Array.from({ length: count }, (_, i) => `${letter}${i}`)
const none = { due: [], disputed: [], today: [], persons: 0 }

for (const [persons, limit] of [
  [0, 20],
  [399, 20],
  [400, 20],
  [419, 20],
  [420, 21],
  [10_000, 500],
] as const)
  limiting(`of an account with ${persons} persons lets ${limit} a day go`, () => assert.is(limitOf(persons), limit))

for (const [what, given, erase, wait] of [
  ['nobody is due', none, 0, 0],
  ['20 are due', { ...none, due: named('a', 20) }, 20, 0],
  ['21 are due: nobody is erased', { ...none, due: named('a', 21) }, 0, 21],
  ['21 are due of 420', { ...none, due: named('a', 21), persons: 420 }, 21, 0],
  ['15 are due after 5 others today', { ...none, due: named('a', 15), today: named('b', 5) }, 15, 0],
  ['15 are due after 6 others today', { ...none, due: named('a', 15), today: named('b', 6) }, 0, 15],
  [
    '20 are due who were erased today: another process was faster',
    { ...none, due: named('a', 20), today: named('a', 20) },
    0,
    0,
  ],
  ['the broker disputes the silence of one', { ...none, due: named('a', 3), disputed: ['x'] }, 3, 1],
  ['due and disputed together are too many', { ...none, due: named('a', 15), disputed: named('x', 6) }, 0, 21],
] as const)
  limiting(what, () => {
    const decision = limitDailyErasures(given)
    assert.equal([decision.erase.length, decision.wait.length], [erase, wait])
  })

limiting('never lets more than the limit go in a day, and forgets nobody', () => {
  const people = fc.array(fc.integer({ min: 0, max: 60 }).map(String), { maxLength: 60 })
  fc.assert(
    fc.property(people, people, people, fc.nat(2_000), (due, disputed, today, persons) => {
      const { erase, wait } = limitDailyErasures({ due, disputed, today, persons })
      assert.ok(erase.length === 0 || new Set([...today, ...erase]).size <= limitOf(persons))
      assert.not.ok(erase.some((person) => disputed.includes(person) || today.includes(person)))
      const asked = [...new Set([...due, ...disputed])].filter((person) => !today.includes(person))
      assert.equal([...erase, ...wait].sort(), asked.sort())
    }),
  )
})

limiting.run()
