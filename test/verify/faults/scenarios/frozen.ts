import { wrongDocuments } from '../checker.ts'
import { findingsOf, unless, wrong } from '../findings.ts'
import { observedWorld } from '../observed-world.ts'
import { after, wait } from '../progress.ts'
import type { Scenario } from '../scenario.ts'
import { streams } from '../streams.ts'

const sessionTimeoutMs = 12_000
const sampleEveryMs = 100
/** A new owner processes again what was handled but not committed: a small part of all records. */
const mostAgain = 0.25

/** One of two projectors is frozen for twice its session timeout. Another process owns its partitions afterwards. */
export const frozen: Scenario = {
  name: 'frozen',
  promises: '12',
  fault: 'one of two projectors SIGSTOP for twice the session timeout, then SIGCONT',
  controls: ['an owner begins where the one before has committed'],
  inShort: false,
  shortControls: [],
  run: async (cluster, size, without) => {
    const here = await observedWorld(cluster, without)
    const intake = await here.place(['ingress'])
    const ingress = await intake.start()
    const places = [await here.place(['projector']), await here.place(['projector'])]
    const projectors = await Promise.all(places.map((place) => place.start()))
    await here.ready(ingress)
    await Promise.all(projectors.map(here.ready))
    const posts = here.recorder([intake])
    const load = posts.drive(streams({ workers: 8, messages: true }), { pauseMs: 20 })
    const highest = new Map<string, number>()
    const back: string[] = []
    let samples = 0
    let over = false
    const sampling = (async () => {
      while (!over) {
        for (const [place, offset] of await here.committed()) {
          const before = highest.get(place) ?? 0
          if (offset < before) back.push(`${place} from ${before} to ${offset}`)
          highest.set(place, Math.max(before, offset))
        }
        samples++
        await wait(sampleEveryMs)
      }
    })()
    const rounds = size === 'long' ? 2 : 1
    for (let round = 0; round < rounds; round++) {
      await after(300, posts, load)
      const victim = projectors[round % 2]
      victim?.signal('SIGSTOP')
      await wait(2 * sessionTimeoutMs)
      victim?.signal('SIGCONT')
      await wait(8_000)
    }
    posts.halt()
    await load
    const caughtUp = await here.caughtUp(90_000)
    over = true
    await sampling
    const counts = await Promise.all(projectors.map((each) => each.metric('livechat_projected_records_total')))
    const all = [...highest.values()].reduce((sum, offset) => sum + offset, 0)
    const again = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0) - all
    const [expected, actual] = [await here.fold(), await here.documents()]
    const verdict = await here.verdict(posts.history)
    await here.stop()
    return findingsOf(verdict, {
      injected: rounds,
      failures: [
        ...wrong('times a committed offset went back', back),
        ...unless(again <= mostAgain * all, `${again} of ${all} records were projected again`),
        ...unless(caughtUp, 'the projectors did not catch up'),
        ...wrong('documents that differ from the fold of the log', wrongDocuments(expected, actual)),
      ],
      notes: [`${samples} samples of the group's committed offsets; ${again} of ${all} records projected again`],
    })
  },
}
