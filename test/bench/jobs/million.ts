import type { Bench } from '../bench.ts'
import { type BridgeWorld, bridgeWorld } from '../bridge.ts'
import { seed } from '../seed.ts'

const logs = new WeakMap<Bench['brokers'], Promise<BridgeWorld>>()

const fill = async (bench: Bench): Promise<BridgeWorld> => {
  const { events, chats } = bench.size.rebuild
  const world = bridgeWorld(bench, { name: 'million' })
  await world.makeTopics()
  bench.say(`${events} events of ${chats} chats go into the topics`)
  await seed(bench, { topic: `${world.prefix}chats`, as: 'events', from: 0, count: events, chats })
  return world
}

/** A world with a long log, which is filled once for the jobs that want one. */
export const longLog = (bench: Bench): Promise<BridgeWorld> => {
  const filled = logs.get(bench.brokers) ?? fill(bench)
  logs.set(bench.brokers, filled)
  return filled
}
