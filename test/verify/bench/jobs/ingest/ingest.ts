import { anyFree } from '../../../../../src/tools/embedded/port.ts'
import { eventually } from '../../../../support/eventually.ts'
import { endsOf } from '../../../../support/plain-consumer.ts'
import type { Bench, Findings, Job } from '../../bench.ts'
import { type Gather, gatherFindings } from '../../findings.ts'
import type { LoadAsk, LoadGiven } from '../../load/http-load.ts'
import { cpuSeconds, residentMb } from '../../proc.ts'
import { inTurns } from '../../turns.ts'
import { startWorker, type Worker } from '../../worker.ts'
import { type Participant, startParticipants } from './participants.ts'

export type Load = Worker<LoadAsk, LoadGiven>
export type Case = {
  readonly name: string
  readonly connections: number
  readonly seconds: number
  readonly rate?: number
}

const openConnections = 64

const casesOf = ({ size: { ingest } }: Bench): ReadonlyArray<Case> => [
  ...ingest.connections.map((connections) => ({
    name: `${connections} connection${connections === 1 ? '' : 's'}`,
    connections,
    seconds: ingest.seconds,
  })),
  ...ingest.rates.map((rate) => ({
    name: `${rate} requests/s`,
    connections: openConnections,
    seconds: ingest.seconds,
    rate,
  })),
]

/** A participant that publishes nothing takes no part at fixed rates: these cases are for what a user would run. */
const takesPart = ({ rate }: Case, { topic }: Participant) => rate === undefined || topic !== undefined

/** `inViews` waits until everything can be read from the views. It returns how many events more it has posted for that. */
export const measure = async (
  bench: Bench,
  load: Load,
  it: Participant,
  each: Case,
  { add }: Pick<Gather, 'add'>,
  inViews?: () => Promise<number>,
) => {
  const { connections, seconds, rate } = each
  const { kafka, mongod } = bench.serverPids()
  const whose = [
    ['CPU', it.pids],
    ['CPU of the broker', [kafka]],
    ['CPU of mongod', [mongod]],
    ['CPU of the load', [load.pid]],
  ] as const
  const before = whose.map(([, pids]) => cpuSeconds(...pids))
  const given = await load.ask({
    urls: it.urls,
    connections,
    seconds,
    ...bench.size.ingest.chats,
    ...(rate !== undefined && { rate }),
  })
  const answeredAt = performance.now()
  const events = given.ok + ((await inViews?.()) ?? 0)
  const later = (performance.now() - answeredAt) / 1000
  const figures = [
    ['rate', 'requests/s', given.ok / given.seconds],
    ...(inViews
      ? ([
          ['rate until in the views', 'events/s', events / (given.seconds + later)],
          ['in the views after the last answer', 's', later],
        ] as const)
      : []),
    ['p50', 'ms', given.latency.p50],
    ['p99', 'ms', given.latency.p99],
    ...whose.map(([metric, pids], i) => {
      const used = cpuSeconds(...pids) - (before[i] ?? 0)
      return [metric, 'µs a request', (used * 1e6) / events] as const
    }),
    ['memory', 'MB', residentMb(...it.pids)],
    ['not answered 200', 'requests', Object.values(given.notOk).reduce((sum, count) => sum + count, 0)],
  ] as const
  for (const [metric, unit, value] of figures) add({ case: each.name, who: it.who, metric, unit }, value)
  return events
}

/**
 * The number of requests that were answered 200 and are not in the log, after some time for records in flight. More
 * records than requests are no loss: an append without a response in time is retried under the same id.
 */
export const lost = async (bench: Bench, { topic }: Participant, answered: number): Promise<number> => {
  if (topic === undefined) return 0
  const missing = async () =>
    answered - [...(await endsOf(bench.brokers, [topic])).values()].reduce((sum, end) => sum + end, 0)
  await eventually(topic, async () => (await missing()) <= 0 || undefined).catch(() => {})
  return Math.max(0, await missing())
}

const run = async (bench: Bench): Promise<Findings> => {
  const gather = gatherFindings()
  const { warmUp: seconds } = bench.size
  const { chats, rounds } = bench.size.ingest
  const participants = await startParticipants(bench, await anyFree())
  const load: Load = startWorker('load/http-load.ts')
  bench.afterwards(load.stop)
  const answered = new Map<Participant, number>()
  const count = (it: Participant, ok: number) => answered.set(it, (answered.get(it) ?? 0) + ok)
  for (const it of participants) {
    bench.say(`${it.who}: ${seconds} s of load before anything is measured`)
    const { ok } = await load.ask({ urls: it.urls, connections: 64, seconds, ...chats })
    count(it, ok)
  }
  for (const each of casesOf(bench)) {
    const taking = participants.filter((it) => takesPart(each, it))
    await inTurns(rounds, taking, async (it, round) => {
      const ok = await measure(bench, load, it, each, gather)
      count(it, ok)
      bench.say(`${each.name}, round ${round + 1}, ${it.who}: ${Math.round(ok / each.seconds)} requests/s`)
    })
  }
  for (const it of participants) gather.check(`${it.who}: lost`, 0, await lost(bench, it, answered.get(it) ?? 0))
  for (const it of participants) await it.stop()
  await load.stop()
  return gather.findings()
}

export const ingest: Job = { name: 'ingest', what: 'chat_accepted of 1.3 KB posted and published', run }
