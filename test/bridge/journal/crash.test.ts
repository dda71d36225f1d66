import { cpSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { temporaryFolder } from '../../support/folder.ts'
import { scriptedBroker } from './broker.ts'
import { virtualClock } from './clock.ts'
import { faultyDisk } from './faulty-disk.ts'
import { recordOf } from './given.ts'
import { budgetMs, startPolicy } from './policy.ts'

type Step =
  | { readonly do: 'arrive'; readonly keys: ReadonlyArray<number> }
  | { readonly do: 'take'; readonly many: number; readonly acknowledge: 'now' | 'late' | 'never' }
  | { readonly do: 'crash'; readonly sent: number; readonly idle: boolean }
  | { readonly do: 'full' | 'disk'; readonly is: boolean }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'acknowledge late' | 'give up' | 'idle' | 'turn' }

const few = fc.integer({ min: 1, max: 6 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('arrive' as const), keys: fc.array(fc.nat(2), { maxLength: 4 }) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('take' as const),
      many: few,
      acknowledge: fc.constantFrom('now' as const, 'now' as const, 'late' as const, 'never' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const), sent: fc.nat(6), idle: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('full' as const, 'disk' as const), is: fc.boolean() }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(60, 400, budgetMs) }) },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'acknowledge late' as const,
        'give up' as const,
        'idle' as const,
        'idle' as const,
        'turn' as const,
      ),
    }),
  },
)

/** Runs the script, then lets broker and disk work normally until nothing is left to do. */
const play = async (script: ReadonlyArray<Step>) => {
  const broker = scriptedBroker()
  const clock = virtualClock()
  const { disk, openFile } = faultyDisk()
  const acknowledged: number[] = []
  const keys: number[] = [-1]
  let dir = temporaryFolder()
  const start = () => startPolicy(dir, broker, clock, { openFile, maxBytes: 3_000 })
  let process = await start()

  const arrive = (key: number) => {
    const [id, mine] = [keys.push(key) - 1, process]
    mine.append(recordOf(id, `acme/${key}`), 2_500).then((outcome) => {
      if (E.isRight(outcome) && mine === process) acknowledged.push(id)
    })
  }
  const crash = async (sent: number) => {
    const dead = process
    const disk = dir
    dir = temporaryFolder()
    cpSync(disk, dir, { recursive: true })
    dead.lane.die(sent)
    const next = start()
    // From here on, an acknowledgement for the dead process does not count.
    process = { ...dead }
    process = await next
    await dead.stop()
  }
  const take = async (step: Step) => {
    if (step.do === 'arrive') step.keys.forEach(arrive)
    if (step.do === 'take') process.lane.take(step.many, step.acknowledge)
    if (step.do === 'crash' && step.idle) await process.idle()
    if (step.do === 'crash') await crash(step.sent)
    if (step.do === 'full') broker.setFull(step.is)
    if (step.do === 'disk') disk.fault = step.is ? 'no space half-way' : 'none'
    if (step.do === 'pass') await clock.pass(step.ms)
    if (step.do === 'acknowledge late') process.lane.acknowledgeLate()
    if (step.do === 'give up') process.lane.giveUp()
    if (step.do === 'idle') await process.idle()
    if (step.do === 'turn') await setImmediate()
  }
  for (const each of script) await take(each)
  disk.fault = 'none'
  await process.recover()
  await process.stop()
  return { acknowledged, log: broker.firstIds(), keyOf: (id: number) => keys[id], state: process.state() }
}

const crashes = suite('journal: any process dies at any time')

crashes('all acknowledged records are in the log, first occurrences in order per key', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (script) => {
      const { acknowledged, log, keyOf, state } = await play(script)
      const there = new Set(log)
      assert.equal(
        acknowledged.filter((id) => !there.has(id)),
        [],
      )
      const known = new Set(acknowledged)
      for (const key of [0, 1, 2]) {
        const ids = log.filter((id) => known.has(id) && keyOf(id) === key)
        assert.equal(
          ids,
          ids.toSorted((a, b) => a - b),
        )
      }
      assert.equal(state.damaged, { places: 0, bytes: 0 })
    }),
    { numRuns: 150 },
  )
})

crashes.run()
