import { BSON } from 'mongodb'
import { wrongDocuments } from '../checker.ts'
import { findingsOf, unless, wrong } from '../findings.ts'
import { memoryOf } from '../heap.ts'
import { incomplete, largeEvents, notKept, wrongAnswers } from '../hostile/large.ts'
import { observedWorld } from '../observed-world.ts'
import { readLog } from '../read-log.ts'
import type { Scenario } from '../scenario.ts'
import { streams } from '../streams.ts'
import { seqOf } from '../traffic.ts'

const mebibyte = 1024 ** 2
const rounds = { long: 10, short: 2 } as const
const firstOfSmall = 1_000

/** Events of megabytes take the usual path: to the log, to quarantine if they are too large, and to the views. */
export const large: Scenario = {
  name: 'large',
  promises: '1, 2, 3',
  fault: 'ends of chats with 4 MB, bodies of 1 and 4 MB that grow to 4 and 17 once they are read, bodies above 8 MiB',
  controls: ['what is large is compressed', 'documents below 16 MiB'],
  inShort: true,
  shortControls: [],
  run: async (cluster, size, without) => {
    const here = await observedWorld(cluster, without)
    const place = await here.place(['ingress', 'projector'])
    const bridge = await place.start()
    await here.ready(bridge)
    const [posts, small] = [here.recorder([place]), here.recorder([place])]
    const load = small.drive(streams({ workers: 2, messages: true, from: firstOfSmall }), { pauseMs: 20 })
    await posts.drive([1, 2].map((chatId) => largeEvents([chatId], rounds[size])))
    small.halt()
    await load
    const drained = await here.drained(bridge)
    const caughtUp = await here.caughtUp(without === undefined ? 120_000 : 15_000)

    const log = (await here.log()).map((record) => ({ ...record, seq: seqOf(record.value) }))
    const ofLarge = log.filter(
      ({ topic, key }) => topic === 'chats' && Number(String(key).split('/')[1]) < firstOfSmall,
    )
    const quarantined = await readLog(here.brokers, here.prefix, ['quarantine'])
    const dead = await here.dead()
    const [expected, actual] = [await here.fold(), await here.documents()]
    const largest = Math.max(...Object.values(actual).map((document) => BSON.calculateObjectSize(Object(document))))
    const verdict = await here.verdict([...posts.history, ...small.history])
    const { peakMib } = memoryOf(bridge.pid)
    const exitCode = (await bridge.kill('SIGTERM')).code
    await here.stop()
    return findingsOf(verdict, {
      injected: posts.sent(),
      failures: [
        ...wrong('answers that are not as they should be', wrongAnswers(posts.history)),
        ...wrong('events that lack something', incomplete(ofLarge)),
        ...wrong('bodies that are not kept in quarantine', notKept(posts.history, quarantined)),
        ...unless(dead.length === 0, `${dead.length} dead letters`),
        ...unless(drained, 'the journal was not drained'),
        ...unless(caughtUp, 'the projector did not catch up'),
        ...wrong('documents that differ from the fold of the log', wrongDocuments(expected, actual)),
        ...unless(exitCode === 0, `exit code ${exitCode}`),
      ],
      notes: [
        `${posts.sent()} large requests, ${quarantined.length} in quarantine`,
        `largest document ${(largest / mebibyte).toFixed(1)} MiB, bridge at most ${peakMib} MiB resident`,
      ],
    })
  },
}
