import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { IncomingRecord } from '../../../src/bridge/domain/log/record.ts'
import { waitByCost } from '../../../src/bridge/views/consumers.ts'

const consumers = suite('the consumers of the views')

const owned = { isCurrent: () => true, done: () => {}, pause: () => () => {} }
const sliceOf = (records: number) => ({
  topic: 'chats' as const,
  partition: 0,
  records: Array.from({ length: records }, () => ({}) as IncomingRecord),
})

/** The wait after slices that were handled at the same time, each in these milliseconds. */
const waitAfter = async (slices: ReadonlyArray<{ readonly records: number; readonly ms: number }>) => {
  let now = 0
  const wait = waitByCost(250, () => now)
  for (const { records, ms } of slices)
    await wait.measured(async () => {
      now += ms
    })(sliceOf(records), owned)
  return wait.waitMs()
}

const rows: ReadonlyArray<readonly [name: string, slices: Parameters<typeof waitAfter>[0], ms: number]> = [
  ['nothing came: the longest wait', [], 250],
  ['one record waits as long as a write takes', [{ records: 1, ms: 12 }], 12],
  ['records that come often wait longer, so that a write has more of them', [{ records: 4, ms: 12 }], 48],
  [
    'the records of all partitions count, and the newest write',
    [
      { records: 2, ms: 90 },
      { records: 3, ms: 10 },
    ],
    50,
  ],
  ['no wait is longer than the longest', [{ records: 500, ms: 100 }], 250],
]
for (const [name, slices, ms] of rows)
  consumers(`a fetch of the projector: ${name}`, async () => {
    assert.is(await waitAfter(slices), ms)
  })

consumers('a fetch of the projector: records count once', async () => {
  const wait = waitByCost(250, () => 0)
  await wait.measured(async () => {})(sliceOf(1), owned)

  assert.equal([wait.waitMs(), wait.waitMs()], [0, 250])
})

consumers('a fetch of the projector: a slice that fails is not measured', async () => {
  let now = 0
  const wait = waitByCost(250, () => now)
  const failing = wait.measured(async () => {
    now += 100
    throw new Error('away')
  })
  await failing(sliceOf(1), owned).catch(() => {})

  assert.is(wait.waitMs(), 0)
})

consumers.run()
