import type { Bench } from '../../bench.ts'
import { type BridgeWorld, stopBridge, webhooksUrl } from '../../bridge.ts'
import { rateBetween } from '../../follow.ts'
import { followProjector } from '../../follow-projector.ts'
import type { LoadAsk, LoadGiven } from '../../load/http-load.ts'
import { seed } from '../../seed.ts'
import { startWorker, type Worker } from '../../worker.ts'

/** A log that grows, and its number of events. */
export const growing = (bench: Bench, world: BridgeWorld, chats: number, perChat?: number) => {
  let events = 0
  return {
    events: () => events,
    append: async (count: number) => {
      await seed(bench, { topic: `${world.prefix}chats`, as: 'events', from: events, count, chats, perChat })
      events += count
    },
    /** Counts events that were added in another way. */
    came: (count: number) => {
      events += count
    },
  }
}
export type Growing = ReturnType<typeof growing>

/**
 * The rate of a newly started projector, measured the same way at every size: it projects `warm` events, then the
 * measured ones.
 */
export const projectionRate = async (bench: Bench, world: BridgeWorld, log: Growing): Promise<number> => {
  const { warm, events } = bench.size.growth.measured
  const before = log.events()
  await log.append(warm + events)
  const bridge = await world.start(['projector'])
  const looks = await followProjector(bench, { bridge, database: world.name, before }, warm + events)
  await stopBridge(bridge)
  return rateBetween(looks, warm, warm + events)
}

/** Grows the store by this many events. Returns the progress and memory of the projector over that time. */
export const takeIn = async (bench: Bench, world: BridgeWorld, log: Growing, count: number) => {
  const before = log.events()
  await log.append(count)
  const bridge = await world.start(['projector'])
  const looks = await followProjector(bench, { bridge, database: world.name, before }, count, 500)
  await stopBridge(bridge)
  return looks
}

/** The rate of ingress at 64 connections, and the number of accepted events, which never reach the views. */
export const ingestRate = async (bench: Bench, world: BridgeWorld, chats: number) => {
  const load: Worker<LoadAsk, LoadGiven> = startWorker('load/http-load.ts')
  bench.afterwards(load.stop)
  const bridge = await world.start(['ingress'])
  const { seconds, warmSeconds, perChat } = bench.size.growth
  const ask = { urls: [webhooksUrl(bridge)], connections: 64, chats, perChat }
  const warm = await load.ask({ ...ask, seconds: warmSeconds })
  const given = await load.ask({ ...ask, seconds })
  await stopBridge(bridge)
  await load.stop()
  return { rate: given.ok / given.seconds, events: warm.ok + given.ok }
}
