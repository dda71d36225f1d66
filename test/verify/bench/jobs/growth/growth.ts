import type { Bench, Findings, Job } from '../../bench.ts'
import { bridgeWorld } from '../../bridge.ts'
import { type Gather, gatherFindings } from '../../findings.ts'
import { type Look, overTime } from '../../follow.ts'
import { countOf } from '../../views.ts'
import { growing, ingestRate, projectionRate, takeIn } from './stage.ts'

const projector = 'bridge: projector'
const rateOf = (who: string, of: string) => ({ case: of, who, metric: 'rate', unit: 'events/s' })
const short = (count: number) => (count >= 1e6 ? `${count / 1e6}M` : count >= 1000 ? `${count / 1000}k` : `${count}`)

const highest = (looks: ReadonlyArray<Look>) => Math.max(...looks.map(({ memoryMb }) => memoryMb))

const tellOf = (growth: string, looks: ReadonlyArray<Look>, { draw }: Gather) => {
  const { rate, memory } = overTime(looks)
  draw({ who: projector, metric: `rate ${growth}`, unit: 'events/s', points: rate })
  draw({ who: projector, metric: `memory ${growth}`, unit: 'MB', points: memory })
}

/** One store that grows: each rate at each number of events. */
const byEvents = async (bench: Bench, gather: Gather) => {
  const { add, check } = gather
  const { sizes, chats, perChat } = bench.size.growth
  const world = bridgeWorld(bench, { name: 'growth' })
  // Posted events go to their own log, but to the same servers and the same views' database.
  const door = bridgeWorld(bench, { name: 'growth-door', database: 'growth' })
  await world.makeTopics()
  await door.makeTopics()
  const log = growing(bench, world, chats, perChat)
  for (const size of sizes) {
    const of = `${short(size)} events`
    const missing = size - log.events()
    // The rounds at one size may take the store beyond the next size.
    if (missing > 0) {
      const looks = await takeIn(bench, world, log, missing)
      tellOf(`from ${short(size - missing)} to ${of}`, looks, gather)
      const [early, late] = [
        looks.filter(({ done }) => done <= missing / 2),
        looks.filter(({ done }) => done > missing / 2),
      ]
      for (const [metric, half] of [
        ['memory, first half', early],
        ['memory', late],
      ] as const)
        if (half.length > 0) add({ case: of, who: projector, metric, unit: 'MB' }, highest(half))
    }
    for (let round = 0; round < bench.size.growth.rounds; round++) {
      const projected = await projectionRate(bench, world, log)
      const ingested = await ingestRate(bench, door, chats)
      add(rateOf(projector, of), projected)
      add(rateOf('bridge: ingress', of), ingested.rate)
      bench.say(`${of}: ${Math.round(projected)} projected and ${Math.round(ingested.rate)} taken in a second`)
    }
  }
  check('events in the timeline', log.events(), await countOf(bench, 'growth', 'timeline'))
}

/** A new store for each number of chats. */
const byChats = async (bench: Bench, { add, check }: Gather) => {
  for (const chats of bench.size.growth.chatSizes) {
    const name = `growth-${chats}`
    const world = bridgeWorld(bench, { name })
    await world.makeTopics()
    const log = growing(bench, world, chats)
    if (bench.size.growth.before > 0) await takeIn(bench, world, log, bench.size.growth.before)
    const of = `${short(chats)} chats`
    for (let round = 0; round < bench.size.growth.rounds; round++) {
      const rate = await projectionRate(bench, world, log)
      add(rateOf(projector, of), rate)
      bench.say(`${of}: ${Math.round(rate)} projected a second`)
    }
    check(`${of}: events in the timeline`, log.events(), await countOf(bench, name, 'timeline'))
    const { rate } = await ingestRate(bench, world, chats)
    add(rateOf('bridge: ingress', of), rate)
  }
}

const run = async (bench: Bench): Promise<Findings> => {
  const gather = gatherFindings()
  await byEvents(bench, gather)
  await byChats(bench, gather)
  return gather.findings()
}

export const growth: Job = { name: 'growth', what: 'each rate as the store grows', run }
