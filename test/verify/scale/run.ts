// Measures how a role's instances share its work, and how long a partition makes no progress when one starts or stops.
import { AssignerProtocol } from 'kafkajs'
import { eventually } from '../../support/eventually.ts'
import { plainClient, withAdmin } from '../../support/plain-consumer.ts'
import { startCluster } from '../faults/cluster.ts'
import { observedWorld } from '../faults/observed-world.ts'
import { streams } from '../faults/streams.ts'
import { type Sample, watching } from './progress.ts'

const cluster = await startCluster()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    await cluster.stop()
    process.exit(1)
  })

const here = await observedWorld(cluster)
const partitions = 12
const env = { TOPIC_PARTITIONS: String(partitions) }
const watched = ['chats', 'bot-conversations'].map((topic) => `${here.prefix}${topic}`)

type Owners = ReadonlyMap<number, string>

/** The group member that owns each partition, the same in every topic; undefined during a rebalance. */
const owners = (members: number) =>
  withAdmin(here.brokers, async (questions): Promise<Owners | undefined> => {
    const { groups } = await questions.describeGroups([`${here.prefix}projector`])
    const [group] = groups
    if (group?.state !== 'Stable' || group.members.length !== members) return undefined
    return new Map(
      group.members.flatMap(({ memberId, memberAssignment }) => {
        const assignment = AssignerProtocol.MemberAssignment.decode(memberAssignment)?.assignment
        return (assignment?.[watched[0] ?? ''] ?? []).map((partition) => [partition, memberId] as const)
      }),
    )
  })
const owned = (members: number) => eventually(`${members} members`, () => owners(members))

// One connection for all requests: a new one for each request would take longer than the measured times.
const admin = plainClient(here.brokers).admin()
await admin.connect()
const byName = (topic: string, offsets: ReadonlyArray<{ readonly partition: number; readonly offset: string }>) =>
  offsets.map(({ partition, offset }) => [`${topic}/${partition}`, Math.max(0, Number(offset))] as const)
const sample = async (): Promise<Sample> => {
  const committed = await admin.fetchOffsets({ groupId: `${here.prefix}projector`, topics: watched })
  const ends = await Promise.all(watched.map(async (topic) => byName(topic, await admin.fetchTopicOffsets(topic))))
  return {
    done: new Map(committed.flatMap(({ topic, partitions: all }) => byName(topic, all))),
    ends: new Map(ends.flat()),
  }
}

const intake = await here.place(['ingress'], env)
const ingress = await intake.start()
await here.ready(ingress)
const posts = here.recorder([intake])
const load = posts.drive(streams({ workers: 24, messages: true }), { pauseMs: 60 })
const running: Array<typeof ingress> = []
const rows: string[] = []

const seconds = (ms: number | undefined) => (ms === undefined ? '' : (ms / 1000).toFixed(1))
const summary = (all: ReadonlyArray<number>) => {
  const times = [...all].sort((a, b) => a - b)
  return `${seconds(times[Math.floor(times.length / 2)])} | ${seconds(times.at(-1))}`
}
let before: Owners = new Map()
const measure = async (what: string, members: number, act: () => Promise<unknown>) => {
  const stalled = await watching(sample, async () => {
    await act()
    await owned(members)
    await here.goesOn()
  })
  const after = await owned(members)
  const moved = ([name]: readonly [string, number]) => {
    const partition = Number(name.split('/').at(-1))
    return after.get(partition) !== before.get(partition)
  }
  const times = (which: (each: readonly [string, number]) => boolean) =>
    summary([...stalled].filter(which).map(([, ms]) => ms))
  const share = [...Map.groupBy(after.values(), (member) => member).values()].map(({ length }) => length)
  rows.push(
    `| ${what} | ${members} | ${share.sort((a, b) => b - a).join(' + ')} | ${times((each) => !moved(each))} | ${times(moved)} |`,
  )
  before = after
  console.log(rows.at(-1))
}
const steady = () => new Promise((resolve) => setTimeout(resolve, 5_000))
const join = async () => {
  const place = await here.place(['projector'], env)
  const bridge = await place.start()
  running.push(bridge)
  await here.ready(bridge)
}
const leave = (signal: NodeJS.Signals) => async () => void (await running.pop()?.kill(signal))

await join()
before = await owned(1)
await measure('one instance, nothing happens', 1, steady)
await measure('a second joins', 2, join)
await measure('two instances, nothing happens', 2, steady)
await measure('a third and a fourth join', 4, async () => {
  await join()
  await join()
})
await measure('one of four ends (SIGTERM)', 3, leave('SIGTERM'))
await measure('one of three dies (SIGKILL)', 2, leave('SIGKILL'))

posts.halt()
await load
const sent = posts.accepted()
await admin.disconnect()
await here.stop()
await cluster.stop()
console.log(`
${partitions} partitions of each topic, ${sent} events accepted meanwhile. A stall is the longest time for which a partition had
records waiting and nothing of it was committed, in seconds; samples are 0.1 s apart and a question's time, commits 0.2 s.

| what happens | instances after | partitions of each | stall of those that stay, median | longest | of those that move, median | longest |
|---|---:|---|---:|---:|---:|---:|
${rows.join('\n')}`)
process.exit(0)
