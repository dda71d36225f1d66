import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { statsRefresher } from '../../../src/bridge/mongo/stats-refresher.ts'

const refreshing = suite('the refresher of statistics')

const noLog = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** The days that each of `count` passes computes, and the pauses. Each day takes `eachMs` and stays due. */
const passes = async (count: number, days: ReadonlyArray<string>, eachMs: number) => {
  const computed: string[][] = []
  const pauses: number[] = []
  let now = 0
  const over = Promise.withResolvers<void>()
  const refresher = statsRefresher({
    readDue: async () => {
      computed.push([])
      return days.map((_id) => ({ _id }))
    },
    daysWithChanges: async () => 0,
    computeDay: async ({ _id }) => {
      now += eachMs
      computed.at(-1)?.push(_id)
    },
    log: noLog,
    sleep: async (ms) => {
      pauses.push(ms)
      if (pauses.length < count) return
      over.resolve()
      await new Promise(setImmediate)
    },
    clock: () => now,
  })
  refresher.start()
  await over.promise
  await refresher.stop()
  return { computed: computed.slice(0, count), pauses: pauses.slice(0, count) }
}

refreshing('computes the newest day of an account in each pass, and the others in turn', async () => {
  const days = ['acme/2026-01-01', 'acme/2026-01-02', 'acme/2026-01-03', 'acme/2026-01-04']
  const { computed, pauses } = await passes(4, days, 1_500)
  assert.equal(
    computed.map((ids) => ids.map((id) => id.slice(-2))),
    [
      ['04', '01'],
      ['04', '02'],
      ['04', '03'],
      ['04', '01'],
    ],
  )
  assert.equal(pauses, [5_000, 5_000, 5_000, 5_000])
})

refreshing('computes all days in one pass if they take little time', async () => {
  const days = Array.from({ length: 20 }, (_, i) => `acme/2026-01-${10 + i}`)
  const { computed } = await passes(2, days, 10)
  assert.equal(
    computed.map((ids) => ids.length),
    [20, 20],
  )
})

refreshing.run()
