import { findingsOf, unless, wrong } from '../findings.ts'
import { grown, type Held, told } from '../held.ts'
import type { Exchange } from '../history.ts'
import { wait } from '../progress.ts'
import type { Scenario } from '../scenario.ts'
import { streams } from '../streams.ts'
import { world } from '../world.ts'

/** Longer than what a fault leaves behind for a while: idle connections, timers of what has timed out. */
const quietMs = 12_000

/**
 * Some minutes under load with a fault every twenty seconds or so. What is held in the quiet after a round of all faults is
 * the same after the rounds that follow.
 */
export const soak: Scenario = {
  name: 'soak',
  promises: '15',
  fault: 'Produce swallowed, connections reset and half open, broker and mongod SIGSTOP, in turns',
  controls: ['sockets are destroyed with their producer'],
  inShort: false,
  shortControls: [],
  run: async (cluster, size, without) => {
    const { broker, mongod, proxy } = cluster
    const here = await world(cluster, without)
    const place = await here.place(['ingress', 'projector'])
    const bridge = await place.start()
    await here.ready(bridge)
    const faults: ReadonlyArray<readonly [() => unknown, number, () => unknown]> = [
      [() => proxy.swallow(0.5), 6_000, () => proxy.swallow(0)],
      [proxy.cut, 1_000, proxy.cut],
      [broker.freeze, 5_000, broker.thaw],
      [proxy.freeze, 5_000, proxy.thaw],
      [mongod.freeze, 5_000, mongod.thaw],
    ]
    const [turns, betweenMs] = size === 'long' ? [faults, 14_000] : [faults.slice(0, 1), 1_000]
    const history: Exchange[] = []
    let injected = 0
    let settled = true
    /** All faults in turn under load, and then nothing for a while. */
    const round = async (number: number): Promise<Held> => {
      const posts = here.recorder([place])
      const load = posts.drive(streams({ workers: 8, messages: true, from: 1 + 100 * number }), { pauseMs: 60 })
      for (const [begin, ms, end] of turns) {
        begin()
        await wait(ms)
        end()
        injected++
        await wait(betweenMs)
      }
      posts.halt()
      await load
      history.push(...posts.history)
      settled &&= (await here.drained(bridge)) && (await here.caughtUp(90_000))
      posts.stop()
      await wait(quietMs)
      return bridge.held()
    }
    const first = await round(0)
    let last = first
    for (let number = 1; number <= (size === 'long' ? 2 : 3); number++) last = await round(number)
    const warnings = bridge.log().match(/^.*(?<!Experimental)Warning: .*$/gm) ?? []
    const verdict = await here.verdict(history)
    await here.stop()
    return findingsOf(verdict, {
      injected,
      failures: [
        ...unless(settled, 'the journal was not drained, or the projector did not catch up'),
        ...grown(first, last),
        ...wrong('warnings of the runtime', warnings),
      ],
      notes: [`after the first round ${told(first)}; at the end ${told(last)}`],
    })
  },
}
