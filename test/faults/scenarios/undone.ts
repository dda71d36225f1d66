import { check, wrongDocuments } from '../checker.ts'
import { findingsOf, unless, wrong } from '../findings.ts'
import { after } from '../progress.ts'
import type { Scenario } from '../scenario.ts'
import { eventsOf, notAsTold, numbered, undoing } from '../undone.ts'
import { world } from '../world.ts'

const workers = 16
const subjectsEach = { long: 100, short: 10 } as const

/** Webhooks with equal bodies are events of their own: what people undo is undone. What the bridge itself repeats counts nothing. */
export const undone: Scenario = {
  name: 'undone',
  promises: '1, 2, 3',
  fault:
    'changes that are undone within a second, and repeated; Produce requests and responses swallowed (15 %); bridge SIGKILL',
  controls: ['an id for each webhook', 'a repetition is known by its content', 'the offsets in each document'],
  inShort: true,
  shortControls: [],
  run: async (cluster, size, without) => {
    const { proxy } = cluster
    const here = await world(cluster, without)
    const place = await here.place(['ingress', 'projector'])
    let bridge = await place.start()
    await here.ready(bridge)
    const posts = here.recorder([place])
    const each = subjectsEach[size]
    const ids = (worker: number) => Array.from({ length: each }, (_, i) => 1 + worker * each + i)
    const load = posts.drive(Array.from({ length: workers }, (_, worker) => undoing(ids(worker))))
    await after(workers * each, posts, load, 60_000)
    const swallowedBefore = proxy.swallowed()
    proxy.swallow(0.15)
    await after(2 * workers * each, posts, load, 60_000)
    await bridge.kill('SIGKILL')
    bridge = await place.start()
    await after(2 * workers * each, posts, load, 60_000)
    proxy.swallow(0)
    proxy.cut()
    await load
    const drained = await here.drained(bridge, without === undefined ? 60_000 : 15_000)
    const caughtUp = await here.caughtUp(without === undefined ? 90_000 : 30_000)

    const log = await here.log()
    const [expected, actual] = [await here.fold(), await here.documents()]
    const events = [...eventsOf(log).values()].flat().length
    const entries = Object.keys(actual).filter((id) => id.startsWith('timeline ')).length
    await bridge.kill('SIGTERM')
    await here.stop()
    const swallowed = proxy.swallowed() - swallowedBefore
    return findingsOf(check(posts.history, numbered(posts.history, log)), {
      injected: swallowed + 1,
      failures: [
        ...unless(swallowed > 0, 'nothing was swallowed'),
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
