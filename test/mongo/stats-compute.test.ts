import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { computeDay } from '../../src/mongo/stats-compute.ts'
import type { Due } from '../../src/mongo/stats-due.ts'
import type { Statistics } from '../../src/projections/daily-stats.ts'

const computing = suite('computing a day side by side')

const counting = (offlineMessages: number) => ({ offlineMessages }) as unknown as Statistics

/** One day: how many documents it has, what is written of it, and its mark; each step may come whenever the scheduler likes. */
const world = (scheduler: fc.Scheduler, { versions }: { readonly versions: boolean }) => {
  let documents = 0
  let writers = 0
  let day: { readonly count: number; readonly version: string } | undefined
  let due: Due | undefined
  let made = 0
  let announced = 0
  const written: number[] = []
  const missed: number[] = []
  const unique = () => `${++made}`
  const mark = (fresh: boolean) => {
    due = { _id: 'acme/2026-01-31', mark: unique(), fresh: fresh || due?.fresh === true, calm: false }
  }
  /** A process that dies before its nth step, wherever that is. */
  const processOf = (steps: number) => {
    let left = steps
    return <A>(what: string, step: () => A): Promise<A> =>
      left-- > 0 ? scheduler.schedule(Promise.resolve(), what).then(step) : new Promise<never>(() => {})
  }
  /** Changes a document: announced, written, announced again. One that dies is over at once. */
  const writer = async (steps: number) => {
    const does = processOf(steps)
    writers++
    const over = setOver(steps, 3, () => writers--)
    await does('announce', () => mark(false))
    over(1)
    await does('write', () => documents++)
    over(2)
    await does('announce again', () => {
      mark(true)
      announced = documents
    })
    over(3)
  }
  const refresher = async (steps: number, passes: number) => {
    const does = processOf(steps)
    const compute = computeDay({
      versionOf: () => does('look', () => day?.version),
      open: () =>
        does('open', () => {
          day ??= { count: 0, version: unique() }
          return day.version
        }),
      compute: () => does('compute', () => (documents === 0 ? undefined : counting(documents))),
      replace: (_id, version, statistics) =>
        does('replace', () => {
          if (versions && day?.version !== version) return false
          const count = statistics?.offlineMessages ?? 0
          day = statistics && { count, version: unique() }
          written.push(count)
          return true
        }),
      tickOff: (read) =>
        does('tick off', () => {
          if (due?.mark !== read.mark || due.fresh !== read.fresh) return
          due = read.calm ? undefined : { ...due, fresh: false }
          if ((day?.count ?? 0) < announced) missed.push(announced)
        }),
    })
    for (let pass = 0; pass < passes; pass++) {
      // Calm is a day of which no writer has anything under way: calmMs is far above every step's deadline.
      const found = await does('ask what is due', () => due && { ...due, calm: writers === 0 })
      if (found !== undefined && (found.fresh || found.calm)) await compute(found)
    }
  }
  return {
    writer,
    refresher,
    written,
    missed,
    isDue: () => due !== undefined,
    day: () => day?.count,
    documents: () => documents,
  }
}

/** Calls back after the last step that will be done. */
const setOver = (steps: number, all: number, callback: () => void) => {
  if (steps === 0) callback()
  return (done: number) => {
    if (done === Math.min(steps, all)) callback()
  }
}

const runs = (versions: boolean) =>
  fc.asyncProperty(
    fc.scheduler(),
    fc.array(fc.nat({ max: 4 }), { maxLength: 6 }),
    fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 3 }),
    async (scheduler, writers, refreshers) => {
      const { writer, refresher, written, missed, ...after } = world(scheduler, { versions })
      for (const steps of writers) void writer(steps)
      for (const steps of refreshers) void refresher(steps, 8)
      await scheduler.waitIdle()
      // One that lives, when all others have died or are done.
      const last = refresher(100, 3)
      await scheduler.waitIdle()
      await last

      assert.equal(
        written,
        [...written].sort((a, b) => a - b),
        'an older computation replaced a newer one',
      )
      assert.equal(missed, [], 'a change was ticked off that is not in what is written')
      assert.equal([after.isDue(), after.day() ?? 0], [false, after.documents()], 'a change is missing')
    },
  )

computing(
  'never puts an older computation in the place of a newer one, and misses no change, whoever dies when',
  async () => {
    await fc.assert(runs(true), { numRuns: 3_000 })
  },
)

computing('would not do without the version', async () => {
  assert.ok((await fc.check(runs(false), { numRuns: 20_000 })).failed)
})

computing.run()
