import { createTopics } from '../../../../support/plain-consumer.ts'
import type { Bench, Findings, Job } from '../../bench.ts'
import { bridgeWorld } from '../../bridge.ts'
import { gatherFindings } from '../../findings.ts'
import { overTime } from '../../follow.ts'
import { rebuildOnce } from '../../rebuild.ts'
import { seed } from '../../seed.ts'
import { inTurns } from '../../turns.ts'
import {
  allViews,
  connectSink,
  driverAlone,
  eventsWorld,
  inSmallContainer,
  payloadTopic,
  type Taken,
} from './participants.ts'

type Participant = { readonly who: string; readonly take: () => Promise<Taken> }

const run = async (bench: Bench): Promise<Findings> => {
  const { add, check, draw, findings } = gatherFindings()
  const { rounds, ...plan } = bench.size.projection
  const { warm, events, chats } = plan
  const { before } = bench.bridge
  const world = bridgeWorld(bench, { name: eventsWorld })
  await world.makeTopics()
  await seed(bench, { topic: `${world.prefix}chats`, as: 'events', from: 0, count: warm + events, chats })
  if (bench.javaPeers) {
    await createTopics(bench.brokers, [{ topic: payloadTopic, numPartitions: 6 }])
    await seed(bench, { topic: payloadTopic, as: 'payloads', from: 0, count: warm + events, chats })
  }
  const chatsAlone = async (): Promise<Taken> => {
    const { records, ...taken } = await rebuildOnce(bench, world, 'chats')
    check('bridge, chats alone: records that were replayed', warm + events, records)
    return taken
  }
  const participants: ReadonlyArray<Participant> = [
    { who: 'bridge, all views', take: () => allViews(bench, plan, { check }) },
    { who: 'bridge, all views, heap of 512 MiB', take: () => allViews(bench, plan, { check }, inSmallContainer) },
    ...(before === undefined
      ? []
      : [{ who: 'before, all views', take: () => allViews(bench, plan, { check }, { checkout: before }) }]),
    { who: 'bridge, chats alone (rebuild)', take: chatsAlone },
    ...(bench.javaPeers ? [{ who: 'Kafka Connect, one upsert', take: () => connectSink(bench, plan, { check }) }] : []),
    { who: 'driver alone, no Kafka', take: () => driverAlone(bench, plan) },
  ]
  await inTurns(rounds, participants, async ({ who, take }, round) => {
    const { rate, cpu, memoryMb, looks } = await take()
    const of = { case: `${events} events, ${chats} chats`, who }
    add({ ...of, metric: 'rate', unit: 'events/s' }, rate)
    add({ ...of, metric: 'CPU', unit: 'µs an event' }, cpu)
    if (Number.isFinite(memoryMb)) add({ ...of, metric: 'memory', unit: 'MB' }, memoryMb)
    if (round === 0 && looks.length > 0) draw({ who, metric: 'rate', unit: 'events/s', points: overTime(looks).rate })
    bench.say(`round ${round + 1}, ${who}: ${Math.round(rate)} events/s`)
  })
  return findings()
}

export const projection: Job = { name: 'projection', what: 'events of the topics folded and stored', run }
