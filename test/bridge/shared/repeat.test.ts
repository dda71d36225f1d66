import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { repeat, startedOnce } from '../../../src/bridge/shared/repeat.ts'

const test = suite('repeated work')

test('it pauses for as long as it asks, and begins nothing more after the stop', async () => {
  const pauses: number[] = []
  const stops: Array<() => Promise<void>> = []
  const stopped = Promise.withResolvers<void>()
  let times = 0
  const stop = repeat(
    async () => 10 * ++times,
    async (ms) => {
      pauses.push(ms)
      if (ms === 30) for (const each of stops) void each().then(stopped.resolve)
    },
  )
  stops.push(stop)
  await stopped.promise
  assert.equal([pauses, times], [[10, 20, 30], 3])
})

test('the stop waits for the work in progress, which sees that it is to stop', async () => {
  const work = Promise.withResolvers<number>()
  let seen: AbortSignal | undefined
  const stop = repeat(
    (stopping) => {
      seen = stopping
      return work.promise
    },
    async () => {},
  )
  let isOver = false
  const ended = stop().then(() => {
    isOver = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal([seen?.aborted, isOver], [true, false])
  work.resolve(1)
  await ended
  assert.is(isOver, true)
})

type Call = 'start' | 'stop'

/** How often the work begins and ends by these calls. */
const after = async (calls: ReadonlyArray<Call>) => {
  const seen = { begun: 0, ended: 0 }
  const work = startedOnce(() => {
    seen.begun++
    return async () => {
      seen.ended++
    }
  })
  for (const call of calls) await work[call]()
  return seen
}

const rows: ReadonlyArray<readonly [name: string, calls: ReadonlyArray<Call>, begun: number, ended: number]> = [
  ['begins at the first start only', ['start', 'start'], 1, 0],
  ['ends at the first stop only', ['start', 'stop', 'stop'], 1, 1],
  ['does not begin if the stop came before the start', ['stop', 'start'], 0, 0],
  ['does not begin again after its stop', ['start', 'stop', 'start'], 1, 1],
]
for (const [name, calls, begun, ended] of rows)
  test(`work that is started once ${name}`, async () => {
    assert.equal(await after(calls), { begun, ended })
  })

test.run()
