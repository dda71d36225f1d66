import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { repeat } from '../../../src/bridge/shared/repeat.ts'

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

test.run()
