import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { wrongDocuments } from '../checker.ts'
import { startCluster } from '../cluster.ts'
import { findingsOf, skippedBecause, unless, wrong } from '../findings.ts'
import { mountMemory, unmount } from '../mount.ts'
import { observedWorld } from '../observed-world.ts'
import { after } from '../progress.ts'
import type { Scenario } from '../scenario.ts'
import { streams } from '../streams.ts'

const mebibyte = 1024 * 1024
// mongod allocates 100 MiB at once for its journal, and the broker the indexes of each partition.
const sizes = { kafka: '400m', mongod: '600m' }

/** Fills the file system of a folder to its last byte. Returns a function that makes room again. */
const fill = (dir: string): (() => void) => {
  const files: string[] = []
  for (const size of [16 * mebibyte, 64 * 1024, 512])
    for (let room = true; room; ) {
      const file = join(dir, `filler-${files.length}`)
      files.push(file)
      try {
        writeFileSync(file, Buffer.alloc(size))
      } catch {
        room = false
      }
    }
  return () => {
    for (const file of files) rmSync(file, { force: true })
  }
}
const freeBytes = (dir: string) => {
  const { bavail, bsize } = statfsSync(dir)
  return bavail * bsize
}

/** The disks of the broker and of mongod are full for a while, one after the other, and both servers end. */
export const fullServers: Scenario = {
  name: 'full-servers',
  promises: '2, 3, 4, 9',
  fault: "the broker's disk full, then mongod's, while events arrive; then room is made and the server started again",
  controls: ['the journal'],
  inShort: false,
  shortControls: [],
  run: async (shared, size, without) => {
    const mounted: string[] = []
    const prepare = (dir: string, server: keyof typeof sizes) => {
      mkdirSync(dir, { recursive: true })
      if (!mountMemory(dir, `size=${sizes[server]}`)) return false
      mounted.push(dir)
      return true
    }
    const cluster = await startCluster(prepare)
    shared.afterwards(async () => {
      await cluster.heal()
      await cluster.stop()
      for (const dir of mounted) unmount(dir)
    })
    if (mounted.length < 2) return skippedBecause('a file system cannot be mounted here')
    const [kafkaDir = '', mongoDir = ''] = mounted
    const { broker, mongod } = cluster
    const here = await observedWorld(cluster, without)
    const [intake, views] = [await here.place(['ingress']), await here.place(['projector'])]
    const [ingress, projector] = await Promise.all([intake.start(), views.start()])
    await Promise.all([ingress, projector].map(here.ready))
    const posts = here.recorder([intake])
    const part = size === 'long' ? 2_000 : 300
    const load = posts.drive(streams({ workers: 8 }), { pauseMs: 10 })
    await after(part, posts, load)

    let makeRoom = fill(kafkaDir)
    const isFull = freeBytes(kafkaDir) === 0
    const acceptedBefore = posts.accepted()
    const sentBefore = posts.sent()
    const brokerEnded = await broker.ended(60_000)
    await after(part, posts, load)
    const [accepted, sent] = [posts.accepted() - acceptedBefore, posts.sent() - sentBefore]
    makeRoom()
    await broker.heal()
    await after(part, posts, load)

    makeRoom = fill(mongoDir)
    const mongodEnded = await mongod.ended(90_000)
    await after(part, posts, load)
    const reason = await projector.readiness()
    makeRoom()
    await mongod.heal()
    await after(part, posts, load)
    posts.halt()
    await load
    const drained = await here.drained(ingress, 120_000)
    const caughtUp = await here.caughtUp(120_000)
    const dead = await here.dead()
    const [expected, actual] = [await here.fold(), await here.documents()]
    const verdict = await here.verdict(posts.history)
    await here.stop()
    return findingsOf(verdict, {
      injected: 2,
      failures: [
        ...unless(isFull, 'the disk was not full'),
        ...unless(accepted > sent / 2, `of ${sent} events only ${accepted} were accepted while the broker was away`),
        ...unless(drained, 'the journal was not drained'),
        ...unless(caughtUp, 'the projector did not catch up'),
        ...unless(dead.length === 0, `${dead.length} dead letters`),
        ...unless(!mongodEnded || reason.includes('MongoDB'), 'readiness does not speak of MongoDB'),
        ...wrong('documents that differ from the fold of the log', wrongDocuments(expected, actual)),
      ],
      notes: [
        `${accepted} of ${sent} accepted with the broker's disk full`,
        `the broker ${brokerEnded ? 'ended' : 'went on'}, mongod ${mongodEnded ? 'ended' : 'went on'}`,
      ],
    })
  },
}
