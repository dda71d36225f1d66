import { anyFree } from '../../../../src/tools/embedded/port.ts'
import { eventually } from '../../../support/eventually.ts'
import type { Bench, Findings, Job } from '../bench.ts'
import { type Gather, gatherFindings } from '../findings.ts'
import type { ChatDocuments } from '../load/readable.ts'
import { startConnect } from '../peers/connect.ts'
import { inTurns } from '../turns.ts'
import { countOf } from '../views.ts'
import { startWorker } from '../worker.ts'
import { type Case, type Load, lost, measure } from './ingest/ingest.ts'
import { camel, type Participant, bridge as startBridge } from './ingest/participants.ts'

type WholeWay = Participant & {
  readonly documents: ChatDocuments
  /** The database that has a timeline, with an entry for each event. */
  readonly timeline?: string
}

const connections = 64

const bridge = async (bench: Bench, who: string, name: string, checkout?: string): Promise<WholeWay> => {
  const kind = { name, roles: 'as npm start does', ...(checkout && { checkout }) } as const
  const documents = { databaseUrl: bench.mongoUrl(name), chat: 'chatId', number: 'visitor.chatsCount' }
  return { ...(await startBridge(bench, who, 1, kind)), documents, timeline: name }
}

/** What a user would build without the bridge: a route into Kafka, and one upsert for each of its records. */
const camelAndConnect = async (bench: Bench): Promise<WholeWay> => {
  const name = 'whole-way-peers'
  const route = await camel(bench, await anyFree(), name)
  const connect = await startConnect(bench, name, name, name)
  return {
    ...route,
    who: 'Camel and Kafka Connect',
    pids: [...route.pids, connect.pid],
    documents: { databaseUrl: bench.mongoUrl(name), chat: 'chat_id', number: 'visitor.chats_count' },
    stop: async () => {
      await connect.stop()
      await route.stop()
    },
  }
}

const casesOf = ({ size: { wholeWay } }: Bench): ReadonlyArray<Case> => [
  ...wholeWay.connections.map((count) => ({
    name: `${count} connections`,
    connections: count,
    seconds: wholeWay.seconds,
  })),
  ...wholeWay.rates.map((rate) => ({ name: `${rate} requests/s`, connections, seconds: wholeWay.seconds, rate })),
  { name: `burst of ${wholeWay.burst} events`, connections: 256, seconds: 1, rate: wholeWay.burst },
]

/** Posts events at a fixed rate until the document of each can be read. */
const postAndRead = async (
  { size }: Bench,
  load: Load,
  { who, urls, documents }: WholeWay,
  { check }: Pick<Gather, 'check'>,
  posts: { readonly rate: number; readonly seconds: number },
) => {
  const { ok, readable } = await load.ask({ urls, connections, documents, ...size.ingest.chats, ...posts })
  if (readable === undefined) throw new Error('the load has not observed the documents')
  check(`${who}: events that could never be read`, 0, readable.missing)
  return { ok, ...readable }
}

/** Enough that each partition has one: when all can be read, so can all events before them. Each is of another chat. */
const mostLater = 60

const run = async (bench: Bench): Promise<Findings> => {
  const gather = gatherFindings()
  const { add, check } = gather
  const { rounds, freshness } = bench.size.wholeWay
  const { chats } = bench.size.ingest
  const { before } = bench.bridge
  const participants = [
    await bridge(bench, 'bridge, npm start', 'whole-way'),
    ...(before === undefined ? [] : [await bridge(bench, 'before', 'whole-way-before', before)]),
    ...(bench.javaPeers ? [await camelAndConnect(bench)] : []),
  ]
  const load: Load = startWorker('load/http-load.ts')
  bench.afterwards(load.stop)
  const answered = new Map<WholeWay, number>()
  const count = (it: WholeWay, ok: number) => answered.set(it, (answered.get(it) ?? 0) + ok)
  const inViews = (it: WholeWay) => async () => {
    const later = { rate: Math.min(mostLater, chats.chats) * 100, seconds: 0.01 }
    return (await postAndRead(bench, load, it, gather, later)).ok
  }
  for (const it of participants) {
    bench.say(`${it.who}: ${bench.size.warmUp} s of load before anything is measured`)
    const { ok } = await load.ask({ urls: it.urls, connections, seconds: bench.size.warmUp, ...chats })
    count(it, ok + (await inViews(it)()))
  }
  for (const each of casesOf(bench))
    await inTurns(rounds, participants, async (it, round) => {
      const began = performance.now()
      const events = await measure(bench, load, it, each, gather, inViews(it))
      count(it, events)
      const rate = (events * 1000) / (performance.now() - began)
      bench.say(`${each.name}, round ${round + 1}, ${it.who}: ${Math.round(rate)} events/s until in the views`)
    })
  for (const { rate, seconds } of freshness)
    await inTurns(rounds, participants, async (it, round) => {
      const { ok, latency } = await postAndRead(bench, load, it, gather, { rate, seconds })
      count(it, ok)
      const { p50, p99 } = latency
      const of = { case: `${rate} events/s, freshness`, who: it.who, unit: 'ms' }
      add({ ...of, metric: 'p50 until it can be read' }, p50)
      add({ ...of, metric: 'p99 until it can be read' }, p99)
      bench.say(`${rate}/s, round ${round + 1}, ${it.who}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`)
    })
  for (const it of participants) {
    const events = answered.get(it) ?? 0
    check(`${it.who}: lost`, 0, await lost(bench, it, events))
    const { timeline } = it
    if (timeline === undefined) continue
    const absent = async () => Math.max(0, events - (await countOf(bench, timeline, 'timeline')))
    await eventually('the timeline', async () => (await absent()) === 0).catch(() => {})
    check(`${it.who}: events that the timeline lacks`, 0, await absent())
  }
  for (const it of participants) await it.stop()
  await load.stop()
  return gather.findings()
}

export const wholeWay: Job = {
  name: 'whole-way',
  what: 'a webhook posted until its document can be read in MongoDB',
  run,
}
