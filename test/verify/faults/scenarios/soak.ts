import { check } from '../checker.ts'
import { findingsOf, unless, wrong } from '../findings.ts'
import { grown, type Held, told } from '../held.ts'
import type { Exchange } from '../history.ts'
import { observedWorld } from '../observed-world.ts'
import { after, wait } from '../progress.ts'
import type { Scenario } from '../scenario.ts'
import { streams } from '../streams.ts'

/**
 * Some minutes under load with a fault about every twenty seconds. The process must hold the same in the quiet after
 * the first round of all faults and after the later rounds.
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
    const here = await observedWorld(cluster, without)
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
    const swallowing = [[() => proxy.swallow(0.9), 10_000, () => proxy.swallow(0)] as const]
    const rounds = size === 'long' ? [faults, faults, faults] : [[], swallowing, swallowing]
    // The quiet is longer than the temporary effects of a fault. The short form must see these effects in its control.
    const [betweenMs, quietMs] = size === 'long' ? [14_000, 12_000] : [1_000, 2_000]
    const history: Exchange[] = []
    // Within a round only: nothing is posted between rounds.
    const stalls: number[] = []
    let injected = 0
    let settled = true
    /** Load with faults in turn, then some time without load. */
    const round = async (number: number, turns: typeof faults): Promise<Held> => {
      const posts = here.recorder([place])
      const load = posts.drive(streams({ workers: 8, messages: true, from: 1 + 100 * number }), { pauseMs: 60 })
      await after(100, posts, load)
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
      stalls.push(check(posts.history, []).longestStall)
      settled &&= (await here.drained(bridge)) && (await here.caughtUp(90_000))
      posts.stop()
      await wait(quietMs)
      return bridge.held()
    }
    const held: Held[] = []
    for (const [number, turns] of rounds.entries()) held.push(await round(number, turns))
    const [first, last] = [held[0], held.at(-1)]
    if (first === undefined || last === undefined) throw new Error('no round')
    const warnings = bridge.log().match(/^.*(?<!Experimental)Warning: .*$/gm) ?? []
    const verdict = await here.verdict(history)
    await here.stop()
    return findingsOf(
      { ...verdict, longestStall: Math.max(...stalls) },
      {
        injected,
        failures: [
          ...unless(settled, 'the journal was not drained, or the projector did not catch up'),
          ...grown(first, last),
          ...wrong('warnings of the runtime', warnings),
        ],
        notes: [`after the first round ${told(first)}; at the end ${told(last)}`],
      },
    )
  },
}
