import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { waitByCost } from '../../../src/bridge/views/consumers.ts'

const consumers = suite('the consumers of the views')

const owned = { isCurrent: () => true, done: () => {}, pause: () => () => {} }
const slice = { topic: 'chats' as const, partition: 0, records: [] }

/** The wait after slices that were handled one after the other, each in these milliseconds. */
const waitAfter = async (...slices: ReadonlyArray<number>) => {
  let now = 0
  const wait = waitByCost(250, () => now)
  for (const ms of slices)
    await wait.measured(async () => {
      now += ms
    })(slice, owned)
  return wait.waitMs()
}

const rows: ReadonlyArray<readonly [name: string, slices: ReadonlyArray<number>, ms: number]> = [
  ['nothing was written yet: no wait', [], 0],
  ['fifteen times as long as a write took', [12], 180],
  ['the newest write counts', [90, 2.5], 38],
  ['no wait is longer than the longest', [100], 250],
]
for (const [name, slices, ms] of rows)
  consumers(`a fetch of the projector: ${name}`, async () => {
    assert.is(await waitAfter(...slices), ms)
  })

consumers('a fetch of the projector: a slice that fails is not measured', async () => {
  let now = 0
  const wait = waitByCost(250, () => now)
  const failing = wait.measured(async () => {
    now += 100
    throw new Error('away')
  })
  await failing(slice, owned).catch(() => {})

  assert.is(wait.waitMs(), 0)
})

consumers.run()
