import { wait } from '../../faults/progress.ts'
import type { Scenario } from '../../faults/scenario.ts'
import type { Three } from '../three.ts'
import { underLoad } from '../under-load.ts'

const behindMs = 3_000

/** The primary steps down; then the next one dies while its writes are not replicated. */
export const primary: Scenario<Three> = {
  name: 'primary',
  promises: '3',
  fault: 'the primary steps down; replication stops, and the next primary is SIGKILLed 3 s later',
  controls: ['acknowledgement by a majority'],
  inShort: false,
  shortControls: [],
  run: (cluster, size, without) =>
    underLoad(cluster, without, async ({ passes, goesOn }) => {
      const { mongo } = cluster
      const notes: string[] = []
      await passes(400)
      if (size === 'long') {
        await mongo.stepDown()
        const stepped = performance.now()
        const went = await goesOn()
        notes.push(`step down: the views have caught up after ${((performance.now() - stepped) / 1000).toFixed(1)} s`)
        if (!went) return { injected: 1, failures: ['it does not go on after the primary stepped down'] }
      }
      const { source: victim, resume } = await mongo.stopReplication()
      cluster.afterwards(resume)
      await wait(behindMs)
      victim.kill()
      await resume()
      await mongo.primary()
      const elected = performance.now()
      await passes(200)
      const went = await goesOn()
      notes.push(`SIGKILL: caught up ${((performance.now() - elected) / 1000).toFixed(1)} s after the election`)
      await victim.restart()
      return { injected: 2, notes, failures: went ? [] : ['it does not go on after the primary died'] }
    }),
}
