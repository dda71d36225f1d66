import { wrongDocuments } from '../checker.ts'
import { findingsOf, unless, wrong } from '../findings.ts'
import { memoryOf } from '../heap.ts'
import { observedWorld } from '../observed-world.ts'
import type { Scenario } from '../scenario.ts'
import { streams } from '../streams.ts'
import type { Event } from '../traffic.ts'

const heapMb = 192
/** With fewer events there is no backlog. */
const count = 6_000

/** 20 kB that take about 420 kB once they are read. */
const burden = JSON.stringify(Array(6_600).fill({}))

function* weighted(events: Generator<Event>): Generator<Event> {
  for (const event of events) yield { ...event, body: `${event.body.slice(0, -1)},"burden":${burden}}` }
}

/** The projector bounds its records by their size in memory, not only by their bytes in the log. */
export const heavyBacklog: Scenario = {
  name: 'heavy-backlog',
  promises: '3, 8',
  fault: `a backlog of events that take twenty times their bytes once they are read; a projector with a heap of ${heapMb} MB`,
  controls: ['what is read is folded early where the heap is nearly full'],
  inShort: false,
  shortControls: [],
  run: async (cluster, _size, without) => {
    const here = await observedWorld(cluster, without)
    const [intake, place] = [await here.place(['ingress']), await here.place(['projector'])]
    const ingress = await intake.start()
    await here.ready(ingress)
    const posts = here.recorder([intake])
    await posts.drive(streams({ workers: 4, chats: 1 }).map(weighted), { count })
    await ingress.kill('SIGTERM')

    const projector = await place.start({ NODE_OPTIONS: `--max-old-space-size=${heapMb}` })
    const caughtUp = await here.caughtUp(without === undefined ? 180_000 : 45_000)
    const died = projector.isOver()
    const peak = died ? undefined : memoryOf(projector.pid).peakMib
    const different = caughtUp ? wrongDocuments(await here.fold(), await here.documents()) : []
    const verdict = await here.verdict(posts.history)
    if (!died) await projector.kill('SIGTERM')
    await here.stop()
    return findingsOf(verdict, {
      injected: count,
      failures: [
        ...unless(!died, 'the projector died of it'),
        ...unless(caughtUp, 'the projector does not get on'),
        ...wrong('documents that differ from the fold of the log', different),
      ],
      notes: peak === undefined ? [] : [`at most ${peak} MiB resident`],
    })
  },
}
