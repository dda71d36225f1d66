import { serviceAccountOf } from '../../../../src/tools/simulator/account.ts'
import { eventually } from '../../../support/eventually.ts'
import { plainClient } from '../../../support/plain-consumer.ts'
import { wrongDocuments } from '../checker.ts'
import { type Sent, wrongLetters } from '../dead-letters.ts'
import { findingsOf, unless, wrong } from '../findings.ts'
import { goods, missingGoods } from '../goods.ts'
import { observedWorld } from '../observed-world.ts'
import { type Poison, poisons } from '../poisons.ts'
import { wait } from '../progress.ts'
import { early, later, redriving } from '../redriving.ts'
import type { Scenario } from '../scenario.ts'
import { streams } from '../streams.ts'

/**
 * The first phase has the deepest JSON, with the bytes of two thousand events: its time does not count. Then phases
 * without and with poison follow, twice in either order, so that neither always runs on the warmer process.
 */
const phases = [
  { depth: 1_000_000, counts: false },
  { depth: undefined, counts: true },
  { depth: 10_000, counts: true },
  { depth: 10_000, counts: true },
  { depth: undefined, counts: true },
]
// The lowest ratio on a busy machine; a blocked partition would never finish.
const slowest = 0.4

/** One of a hundred records is poison, among good records, on every topic that the bridge reads. */
export const poison: Scenario = {
  name: 'poison',
  promises: '8',
  fault: 'bad bytes, JSON of depth 1,000,000 and ids beyond 2^53 on every topic that is read, 1 % of the records',
  controls: ['dead letters'],
  inShort: false,
  shortControls: [],
  run: async (cluster, size, without) => {
    // No bot answers the clients, and no agent is to be invited during the test.
    const settings = { replyWithin: 3_600_000 }
    const here = await observedWorld(cluster, without, settings, [serviceAccountOf(later)])
    const { service } = here
    const [intake, place] = [await here.place(['ingress']), await here.place(['projector', 'egress'])]
    const [ingress, worker] = [await intake.start(), await place.start()]
    await here.ready(worker)
    const posts = here.recorder([intake])
    const producer = plainClient(here.brokers).producer()
    await producer.connect()
    const send = async ({ topic, ...message }: Poison): Promise<Sent> => {
      const [at] = await producer.send({ topic: here.prefix + topic, messages: [message] })
      return { topic, ...message, partition: at?.partition ?? -1, offset: at?.baseOffset ?? '' }
    }

    const count = size === 'long' ? 5_000 : 1_000
    const sent: Sent[] = []
    const took = { good: 0, poisoned: 0 }
    let caughtUp = true
    for (const [phase, { depth, counts }] of phases.entries()) {
      if (!caughtUp) break
      const rounds = depth === undefined ? 0 : counts ? Math.ceil(count / 2_100) : 1
      const bad = Array.from({ length: rounds }, (_, i) => poisons(10 * phase + i, depth ?? 0)).flat()
      const began = performance.now()
      const load = posts.drive(streams({ workers: 8, messages: true, from: 1 + 1_000 * phase }), { count })
      for (const good of goods(phase)) await send(good)
      for (const each of bad) {
        sent.push(await send(each))
        await wait(5)
      }
      await load
      caughtUp = await here.caughtUp(without === undefined ? 90_000 : 15_000)
      if (counts) took[depth === undefined ? 'good' : 'poisoned'] += performance.now() - began
    }
    sent.push(await send(early))
    await producer.disconnect()
    const all = await eventually(
      'every dead letter',
      async () => {
        const found = await here.dead()
        return found.length >= sent.length ? found : undefined
      },
      caughtUp ? 60_000 : 5_000,
    ).catch(here.dead)
    const missing = await missingGoods(here, service, phases.length)
    // The outcomes of the good commands arrive some time later.
    const differing = async () => wrongDocuments(await here.fold(), await here.documents())
    const equal = async () => (await differing()).length === 0 || undefined
    await eventually('the documents to be as the log says', equal, caughtUp ? 30_000 : 0).catch(() => undefined)
    const different = await differing()
    const redriven = caughtUp ? await redriving({ here, service, place, worker }) : []
    const verdict = await here.verdict(posts.history)
    await ingress.kill('SIGTERM')
    await here.stop()
    const share = took.good / took.poisoned
    return findingsOf(verdict, {
      injected: sent.length,
      failures: [
        ...wrong('dead letters that are not as they should be', wrongLetters(sent, all)),
        ...unless(all.length === sent.length, `${all.length} dead letters of ${sent.length} poisons`),
        ...unless(caughtUp && share > slowest, 'good events wait behind poison'),
        ...wrong('good commands and enrichments that were not taken in', missing),
        ...wrong('documents that differ from the fold of the log', different),
        ...redriven,
      ],
      notes: [
        `${all.length} dead letters with exact bytes, headers, origin and cause`,
        `with poison, good events go on at ${(100 * share).toFixed(0)} % of the rate without`,
        'one sent back once its cause was mended, and carried out; sending poison back ended at the guard',
      ],
    })
  },
}
