import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BridgeProcess } from '../../../support/bridge-process.ts'
import { eventually } from '../../../support/eventually.ts'
import type { Cluster } from '../cluster.ts'
import type { Defence } from '../defences.ts'
import { findingsOf, skippedBecause, unless } from '../findings.ts'
import { mountMemory, unmount } from '../mount.ts'
import { observedWorld } from '../observed-world.ts'
import type { Recorder } from '../recorder.ts'
import type { Scenario } from '../scenario.ts'
import { streams } from '../streams.ts'

/** Posts until an event is refused; undefined if none is. */
const untilRefused = async (posts: Recorder, most: number) => {
  for (const stream of streams({ workers: 1, chats: 8 }))
    for (const event of stream) {
      const answer = await posts.send(event)
      if (answer?.status !== 200) return answer
      if (event.seq > most) return undefined
    }
  return undefined
}

const settled = async (bridge: BridgeProcess, posts: Recorder, from: number) => {
  const [events] = streams({ workers: 1, chats: 1, from })
  return eventually('an event to be accepted again', async () => {
    const next = events?.next().value
    return (next && (await posts.send(next))?.status === 200) || undefined
  }).then(
    () => true,
    () => bridge.isOver() && false,
  )
}

const limited = (
  name: string,
  fault: string,
  control: Defence,
  /** Prepares the journal's folder. Returns a function that makes room again; undefined if it cannot be done here. */
  prepare: (dir: string) => (() => void) | undefined,
  env: Readonly<Record<string, string>>,
): Scenario => ({
  name,
  promises: '4, 5',
  fault,
  controls: [control],
  inShort: true,
  shortControls: [control],
  run: async (cluster: Cluster, _size, without) => {
    const { broker } = cluster
    const here = await observedWorld(cluster, without)
    const place = await here.place(['ingress'], env)
    const dir = join(place.dataDir, 'journal')
    mkdirSync(dir)
    const makeRoom = prepare(dir)
    if (makeRoom === undefined) return skippedBecause('a file system cannot be mounted here')
    try {
      const bridge = await place.start()
      await here.ready(bridge)
      const posts = here.recorder([place])
      await settled(bridge, posts, 5_000)
      broker.freeze()
      const refusal = await untilRefused(posts, 300)
      const readiness = await bridge.readiness()
      makeRoom()
      broker.thaw()
      const again = await settled(bridge, posts, 6_000)
      const drained = await here.drained(bridge)
      await bridge.kill('SIGTERM')
      const verdict = await here.verdict(posts.history)
      return findingsOf(verdict, {
        injected: 1,
        failures: [
          ...unless(
            refusal?.status === 503,
            `beyond the limit: ${refusal?.status ?? refusal?.error ?? 'nothing is refused'}`,
          ),
          ...unless(refusal?.retryAfter !== undefined, 'no Retry-After'),
          ...unless(readiness.includes('journal'), 'readiness does not speak of the journal'),
          ...unless(again, 'nothing is accepted after there is room again'),
          ...unless(drained, 'the journal was not drained'),
        ],
        notes: [`503 with Retry-After ${refusal?.retryAfter} after ${verdict.accepted} events`],
      })
    } finally {
      broker.thaw()
      await here.stop()
      unmount(dir)
    }
  },
})

export const cap = limited(
  'cap',
  "broker SIGSTOP until the journal's cap is reached",
  'the cap of the journal',
  () => () => {},
  { JOURNAL_MAX_BYTES: '400000' },
)

export const fullDisk = limited(
  'full-disk',
  'broker SIGSTOP until the file system of the journal is full; then room is made',
  'a full disk is a refusal',
  (dir) => (mountMemory(dir, 'size=1m') ? () => void mountMemory(dir, 'remount,size=8m') : undefined),
  {},
)
