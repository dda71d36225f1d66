import { check, wrongDocuments } from '../checker.ts'
import { findingsOf, unless, wrong } from '../findings.ts'
import { observedWorld } from '../observed-world.ts'
import { after } from '../progress.ts'
import type { Scenario } from '../scenario.ts'
import { eventsOf, notAsTold, numbered, undoing } from '../undone.ts'

const workers = 8
const parts = { long: 2_000, short: 300 } as const
const mostRounds = 10

const countOf = (events: ReturnType<typeof eventsOf>) => [...events.values()].flat().length

/** Webhooks with equal bodies are separate events: people undo changes. Repetitions by the bridge do not count. */
export const undone: Scenario = {
  name: 'undone',
  promises: '1, 2, 3',
  fault:
    'changes that are undone within a second, and repeated; Produce requests and responses swallowed (30 %); bridge SIGKILL',
  controls: ['an id for each webhook', 'a repetition is known by its content', 'the offsets in each document'],
  inShort: true,
  shortControls: [],
  run: async (cluster, size, without) => {
    const { proxy } = cluster
    const here = await observedWorld(cluster, without)
    const place = await here.place(['ingress', 'projector'])
    let bridge = await place.start()
    await here.ready(bridge)
    const posts = here.recorder([place])
    const part = parts[size]
    const load = posts.drive(
      Array.from({ length: workers }, (_, worker) => undoing(worker, workers)),
      { pauseMs: 10 },
    )
    const swallowedBefore = proxy.swallowed()
    let [isRepeated, kills] = [false, 0]
    // A run without a record that the bridge has repeated does not test how repetitions are counted.
    for (let round = 0; round < mostRounds && !isRepeated; round++) {
      await after(part, posts, load)
      proxy.swallow(0.3)
      await after(part, posts, load)
      if (round === 0) {
        await bridge.kill('SIGKILL')
        bridge = await place.start()
        kills++
        await after(part, posts, load)
      }
      proxy.swallow(0)
      proxy.cut()
      await here.drained(bridge)
      const soFar = await here.log()
      isRepeated = soFar.length > countOf(eventsOf(soFar))
    }
    posts.halt()
    await load
    if (!isRepeated) throw new Error('the bridge has repeated no record')
    const drained = await here.drained(bridge, without === undefined ? 60_000 : 15_000)
    const caughtUp = await here.caughtUp(without === undefined ? 90_000 : 30_000)

    const log = await here.log()
    const [expected, actual] = [await here.fold(), await here.documents()]
    const events = countOf(eventsOf(log))
    const entries = Object.keys(actual).filter((id) => id.startsWith('timeline ')).length
    await bridge.kill('SIGTERM')
    await here.stop()
    const swallowed = proxy.swallowed() - swallowedBefore
    return findingsOf(check(posts.history, numbered(posts.history, log)), {
      injected: swallowed + kills,
      failures: [
        ...unless(drained, 'the journal was not drained'),
        ...unless(caughtUp, 'the projector did not catch up'),
        ...wrong('documents that are not as was told', notAsTold(log, actual)),
        ...unless(entries === events, `${entries} entries in timeline for ${events} events`),
        ...wrong('documents that differ from the fold of the log', wrongDocuments(expected, actual)),
      ],
      notes: [`${swallowed} swallowed; ${log.length} records of ${events} events, of ${posts.sent()} requests`],
    })
  },
}
