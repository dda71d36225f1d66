import { withAdmin } from '../../../../support/plain-consumer.ts'
import type { Bench } from '../../bench.ts'
import { bridgeWorld, stopBridge } from '../../bridge.ts'
import type { Gather } from '../../findings.ts'
import { follow, type Look, rateBetween } from '../../follow.ts'
import { followProjector } from '../../follow-projector.ts'
import { connectGroup, startConnect } from '../../peers/connect.ts'
import type { DriverAsk, DriverGiven } from '../../peers/driver.ts'
import { cpuSeconds } from '../../proc.ts'
import { sumOfNewest } from '../../seed.ts'
import { countOf, countUpdates, dropDatabase, sumOf } from '../../views.ts'
import { startWorker } from '../../worker.ts'

export type Plan = {
  /** Records of the topics: the first `warm` are not measured. */
  readonly warm: number
  readonly events: number
  readonly chats: number
}
export type Taken = {
  readonly rate: number
  readonly cpu: number
  readonly memoryMb: number
  readonly looks: ReadonlyArray<Look>
}

export const eventsWorld = 'projection'
export const payloadTopic = 'projection-payloads'

const measured = (looks: ReadonlyArray<Look>, { warm, events }: Plan, cpu: number): Taken => ({
  rate: rateBetween(looks, warm, warm + events),
  cpu: (cpu * 1e6) / (warm + events),
  memoryMb: Math.max(...looks.map(({ memoryMb }) => memoryMb)),
  looks,
})

/** Node gives this heap to a process in a container of 512 MiB, in MB. */
const smallHeapMb = 256
export const inSmallContainer = { nodeArgs: [`--max-old-space-size=${smallHeapMb}`] }

/** A projector of all views, from the beginning of the topics into an empty database. */
export const allViews = async (
  bench: Bench,
  plan: Plan,
  { check }: Pick<Gather, 'check'>,
  { checkout, nodeArgs = [] }: { readonly checkout?: string; readonly nodeArgs?: ReadonlyArray<string> } = {},
): Promise<Taken> => {
  const { warm, events, chats } = plan
  const database = 'projection'
  await dropDatabase(bench, database)
  await forgetGroups(bench, [`${eventsWorld}.projector`])
  const world = bridgeWorld(bench, { name: eventsWorld, database, ...(checkout && { checkout }) })
  const bridge = await world.start(['projector'], { nodeArgs })
  const looks = await followProjector(bench, { bridge, database, before: 0 }, warm + events)
  const taken = measured(looks, plan, cpuSeconds(bridge.pid))
  await stopBridge(bridge)
  const newest = sumOfNewest(warm + events, chats)
  check('bridge: events in the timeline', warm + events, await countOf(bench, database, 'timeline'))
  check('bridge: chats', chats, await countOf(bench, database, 'chats'))
  check('bridge: sum of newest', newest, await sumOf(bench, database, 'chats', 'visitor.chatsCount'))
  return taken
}

export const connectSink = async (bench: Bench, plan: Plan, { check }: Pick<Gather, 'check'>): Promise<Taken> => {
  const { warm, events, chats } = plan
  const [name, database] = ['sink', 'projection-sink']
  await dropDatabase(bench, database)
  await forgetGroups(bench, [connectGroup(name)])
  const updates = await countUpdates(bench)
  const connect = await startConnect(bench, name, payloadTopic, database)
  const looks = await follow(warm + events, async () => {
    if (connect.isOver()) throw new Error('Kafka Connect ended')
    return updates.soFar()
  }, [connect.pid])
  const taken = measured(looks, plan, cpuSeconds(connect.pid))
  await connect.stop()
  await updates.stop()
  check('Kafka Connect: chats', chats, await countOf(bench, database, 'chats'))
  const newest = sumOfNewest(warm + events, chats)
  check('Kafka Connect: sum of newest', newest, await sumOf(bench, database, 'chats', 'visitor.chats_count'))
  return taken
}

export const driverAlone = async (bench: Bench, { events, chats }: Plan): Promise<Taken> => {
  const database = 'projection-driver'
  await dropDatabase(bench, database)
  const worker = startWorker<DriverAsk, DriverGiven>('peers/driver.ts')
  bench.afterwards(worker.stop)
  const { seconds } = await worker.ask({ url: bench.mongoUrl(database), events, chats })
  const cpu = (cpuSeconds(worker.pid) * 1e6) / events
  await worker.stop()
  return { rate: events / seconds, cpu, memoryMb: Number.NaN, looks: [] }
}

const forgetGroups = (bench: Bench, groups: string[]) =>
  withAdmin(bench.brokers, async (admin) => {
    const { groups: known } = await admin.listGroups()
    const there = groups.filter((group) => known.some(({ groupId }) => groupId === group))
    if (there.length > 0) await admin.deleteGroups(there)
  })
