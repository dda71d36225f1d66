import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { gatherFindings } from './findings.ts'
import { overTime, rateBetween } from './follow.ts'
import { ratios, summary } from './statistics.ts'
import { inTurns } from './turns.ts'

const statistics = suite('statistics of the benchmark')

statistics('the median is the middle value, or between the two middle ones', () => {
  assert.equal(summary([3, 1, 2]), { median: 2, min: 1, max: 3, rounds: 3 })
  assert.equal(summary([4, 1, 2, 3]), { median: 2.5, min: 1, max: 4, rounds: 4 })
})

statistics('ratios are computed for each round', () => {
  assert.equal(ratios([2, 9, 8], [1, 3, 4]), [2, 3, 2])
})

statistics('the order of the participants alternates: forwards, backwards, backwards, forwards', async () => {
  const taken: string[] = []
  await inTurns(4, ['a', 'b'], async (who, round) => void taken.push(`${who}${round}`))
  assert.equal(taken, ['a0', 'b0', 'b1', 'a1', 'b2', 'a2', 'a3', 'b3'])
})

statistics('figures of one participant, case and metric are grouped', () => {
  const { add, findings } = gatherFindings()
  const of = { case: '64 connections', who: 'bridge', metric: 'rate', unit: 'requests/s' }
  add(of, 1)
  add({ ...of, who: 'Camel' }, 3)
  add(of, 2)
  assert.equal(findings().measurements, [
    { ...of, values: [1, 2] },
    { ...of, who: 'Camel', values: [3] },
  ])
})

const looks = [0, 100, 400, 900].map((done, at) => ({ at, done, memoryMb: 100 + at }))

statistics(
  'a rate is computed from the last sample before the first count to the first sample with the second count',
  () => {
    assert.is(rateBetween(looks, 50, 900), 300)
    assert.is(rateBetween(looks, 100, 300), 300)
    assert.ok(Number.isNaN(rateBetween(looks, 100, 1000)))
  },
)

statistics('in a time series, each point is the rate since the previous point', () => {
  assert.equal(overTime(looks).rate, [
    [1, 100],
    [2, 300],
    [3, 500],
  ])
  assert.equal(overTime(looks).memory, [
    [0, 100],
    [1, 101],
    [2, 102],
    [3, 103],
  ])
})

statistics.run()
