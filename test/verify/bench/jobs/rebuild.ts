import type { Bench, Findings, Job } from '../bench.ts'
import { type BridgeWorld, bridgeWorld } from '../bridge.ts'
import { gatherFindings } from '../findings.ts'
import { overTime } from '../follow.ts'
import { rebuildOnce } from '../rebuild.ts'
import { seed, sumOfNewest } from '../seed.ts'
import { countOf, sumOf } from '../views.ts'

/** A bridge's topics with this many events, and an empty database. */
const longLog = async (bench: Bench): Promise<BridgeWorld> => {
  const { events, chats } = bench.size.rebuild
  const world = bridgeWorld(bench, { name: 'rebuild' })
  await world.makeTopics()
  bench.say(`${events} events of ${chats} chats go into the topics`)
  await seed(bench, { topic: `${world.prefix}chats`, as: 'events', from: 0, count: events, chats })
  return world
}

const who = 'bridge: rebuild all'

const run = async (bench: Bench): Promise<Findings> => {
  const { add, check, draw, findings } = gatherFindings()
  const { events, chats } = bench.size.rebuild
  const world = await longLog(bench)
  const { rate, cpu, memoryMb, seconds, records, looks } = await rebuildOnce(bench, world, 'all')
  for (const [metric, unit, value] of [
    ['rate', 'events/s', rate],
    ['CPU', 'µs an event', cpu],
    ['memory', 'MB', memoryMb],
    ['time', 's', seconds],
  ] as const)
    add({ case: `${events} events`, who, metric, unit }, value)
  const { rate: rates, memory } = overTime(looks)
  draw({ who, metric: 'rate', unit: 'events/s', points: rates })
  draw({ who, metric: 'memory', unit: 'MB', points: memory })
  // The rebuild itself adds a record to the audit log.
  check('records that were replayed', events + 1, records)
  check('events in the timeline', events, await countOf(bench, world.name, 'timeline'))
  check('chats', chats, await countOf(bench, world.name, 'chats'))
  check('sum of newest', sumOfNewest(events, chats), await sumOf(bench, world.name, 'chats', 'visitor.chatsCount'))
  bench.say(`${Math.round(rate)} events/s, ${Math.round(memoryMb)} MB at the most`)
  return findings()
}

export const rebuild: Job = { name: 'rebuild', what: 'all views from the topics, beside the live ones', run }
