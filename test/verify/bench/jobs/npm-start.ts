import { setTimeout as wait } from 'node:timers/promises'
import { anyFree } from '../../../../src/tools/embedded/port.ts'
import type { BridgeProcess } from '../../../support/bridge-process.ts'
import { eventually } from '../../../support/eventually.ts'
import type { Bench, Findings, Job } from '../bench.ts'
import { bridgeWorld, stopBridge, webhooksUrl } from '../bridge.ts'
import { type Gather, gatherFindings } from '../findings.ts'
import { countingRequests, kafkaRequests, processesOf } from '../kafka-requests.ts'
import { cpuSeconds, proportionalMb } from '../proc.ts'
import { seed } from '../seed.ts'
import { inTurns } from '../turns.ts'
import { countEntries, countRequests } from '../views.ts'
import { startWorker } from '../worker.ts'
import { type Case, type Load, lost, measure } from './ingest/ingest.ts'
import { camel, type Participant } from './ingest/participants.ts'

const who = 'bridge, npm start'
const idleCase = 'idle'

type Started = {
  readonly participant: Participant
  readonly pid: number
  readonly dir: string
  readonly database: string
  readonly topic: string
  readonly startAgain: () => Promise<BridgeProcess>
}

/** Front and back below their parent, as `npm start` runs them, with the bench's own servers. */
const startDefault = async (bench: Bench, name: string): Promise<Started> => {
  const world = bridgeWorld(bench, { name, partitions: 12 })
  const { dir } = world
  const startAgain = () => world.start('as npm start does', { env: countingRequests(dir) })
  const bridge = await startAgain()
  const topic = `${world.prefix}chats`
  const participant: Participant = {
    who,
    urls: [webhooksUrl(bridge)],
    pids: [bridge.pid],
    topic,
    stop: () => stopBridge(bridge),
  }
  return { participant, pid: bridge.pid, dir, database: name, topic, startAgain }
}

/** What the bridge takes while nobody uses it. The load that may follow must not have begun yet. */
const measureIdle = async (bench: Bench, { pid, dir }: Started, { add }: Gather) => {
  const { settleSeconds, seconds, rounds } = bench.size.npmStart
  await wait(settleSeconds * 1000)
  const processes = processesOf(pid)
  const parts = processes.filter(({ name }) => name !== 'parent').map((each) => each.pid)
  const mongo = await countRequests(bench)
  for (let round = 0; round < rounds; round++) {
    const [cpu, kafka, asked] = [cpuSeconds(pid), await kafkaRequests(dir, parts), await mongo.soFar()]
    await wait(seconds * 1000)
    const figures = [
      ['CPU', 'ms/s', (cpuSeconds(pid) - cpu) * 1000],
      ['requests to Kafka', '1/s', (await kafkaRequests(dir, parts)) - kafka],
      ['requests to MongoDB', '1/s', (await mongo.soFar()) - asked],
    ] as const
    for (const [metric, unit, value] of figures) add({ case: idleCase, who, metric, unit }, value / seconds)
    for (const each of processes)
      add({ case: idleCase, who: `${who}: ${each.name}`, metric: 'memory', unit: 'MB' }, proportionalMb(each.pid))
    add({ case: idleCase, who, metric: 'memory', unit: 'MB' }, proportionalMb(...processes.map((each) => each.pid)))
    bench.say(
      `${idleCase}, round ${round + 1}: ${figures.map(([metric, , value]) => `${metric} ${(value / seconds).toFixed(1)}`).join(', ')}`,
    )
  }
  await mongo.stop()
}

/** What the processes take at most while the views catch up with a log that has grown without them. */
const measureBacklog = async (bench: Bench, { topic, database, startAgain }: Started, { add }: Gather) => {
  const { events, perChat } = bench.size.npmStart.backlog
  const entries = await countEntries(bench, database)
  const before = await entries.soFar()
  const chats = events / perChat
  await seed(bench, { topic, as: 'events', from: 0, count: events, chats, perChat })
  const bridge = await startAgain()
  const processes = processesOf(bridge.pid)
  const peaks = new Map<string, number>()
  const took = (name: string, megabytes: number) => peaks.set(name, Math.max(peaks.get(name) ?? 0, megabytes))
  await eventually(
    'the views to have caught up',
    async () => {
      const each = processes.map(({ name, pid }) => ({ name, megabytes: proportionalMb(pid) }))
      for (const { name, megabytes } of each) took(`${who}: ${name}`, megabytes)
      took(
        who,
        each.reduce((sum, { megabytes }) => sum + megabytes, 0),
      )
      return (await entries.soFar()) - before >= events || undefined
    },
    600_000,
  )
  const name = `backlog of ${events.toLocaleString('en')} events`
  for (const [participantName, megabytes] of peaks)
    add({ case: name, who: participantName, metric: 'memory', unit: 'MB' }, megabytes)
  bench.say(`${name}: ${[...peaks].map(([of, megabytes]) => `${of} ${Math.round(megabytes)} MB`).join(', ')}`)
  await entries.stop()
  await stopBridge(bridge)
}

const run = async (bench: Bench): Promise<Findings> => {
  const gather = gatherFindings()
  const { rounds, connections, rates, seconds } = bench.size.npmStart
  const started = await startDefault(bench, 'npm-start-default')
  const { participant: bridge, database, dir, pid } = started
  await measureIdle(bench, started, gather)
  const participants = [bridge, ...(bench.javaPeers ? [await camel(bench, await anyFree())] : [])]
  const load: Load = startWorker('load/http-load.ts')
  bench.afterwards(load.stop)
  const entries = await countEntries(bench, database)
  const answered = new Map<Participant, number>()
  const count = (it: Participant, ok: number) => answered.set(it, (answered.get(it) ?? 0) + ok)
  /** The views have each event that was answered 200. The next turn begins with nothing left to do. */
  const viewsAreEven = () =>
    eventually(
      'the views to be even',
      async () => (await entries.soFar()) >= (answered.get(bridge) ?? 0) || undefined,
      120_000,
    )
  const parts = processesOf(pid)
    .filter(({ name }) => name !== 'parent')
    .map((each) => each.pid)
  for (const it of participants) {
    const { ok } = await load.ask({
      urls: it.urls,
      connections: 64,
      seconds: bench.size.warmUp,
      ...bench.size.ingest.chats,
    })
    count(it, ok)
  }
  await viewsAreEven()
  const cases: ReadonlyArray<Case> = [
    ...connections.map((each) => ({ name: `${each} connections`, connections: each, seconds })),
    ...rates.map((rate) => ({ name: `${rate} requests/s`, connections: 64, seconds, rate })),
  ]
  for (const each of cases)
    await inTurns(rounds, participants, async (it, round) => {
      const before = it === bridge ? await kafkaRequests(dir, parts) : 0
      const ok = await measure(bench, load, it, each, gather)
      count(it, ok)
      if (it === bridge) {
        await viewsAreEven()
        const requests = (await kafkaRequests(dir, parts)) - before
        gather.add({ case: each.name, who, metric: 'requests to Kafka', unit: 'an event' }, requests / ok)
      }
      bench.say(`${each.name}, round ${round + 1}, ${it.who}: ${Math.round(ok / each.seconds)} requests/s`)
    })
  for (const it of participants) gather.check(`${it.who}: lost`, 0, await lost(bench, it, answered.get(it) ?? 0))
  await entries.stop()
  for (const it of participants) await it.stop()
  await load.stop()
  await measureBacklog(bench, started, gather)
  return gather.findings()
}

export const npmStart: Job = {
  name: 'npm-start',
  what: 'the bridge as npm start runs it: idle, webhooks while the views follow, and memory in a backlog',
  run,
}
