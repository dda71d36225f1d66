import type { Bench, Findings, Job } from '../bench.ts'
import { type Gather, gatherFindings } from '../findings.ts'
import type { CollectorAsk, CollectorGiven } from '../peers/collector.ts'
import { inTurns } from '../turns.ts'
import { startWorker, type Worker } from '../worker.ts'
import { type Load, lost, measure } from './ingest/ingest.ts'
import { bridge, type Participant } from './ingest/participants.ts'

/** The same bridge: without calls for spans, with them but no SDK, and with an SDK that samples 1 % or 100 %. */
const startParticipants = async (bench: Bench, collector: string): Promise<ReadonlyArray<Participant>> => {
  const at = (ratio: string) => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: ratio,
  })
  const withoutSpans = ['--import', new URL('../peers/no-spans.ts', import.meta.url).pathname]
  return Promise.all([
    bridge(bench, 'bridge without spans', 1, { name: 'no-spans', nodeArgs: withoutSpans }),
    bridge(bench, 'bridge, tracing off', 1, { name: 'tracing-off' }),
    bridge(bench, 'bridge, 1 % sampled', 1, { name: 'tracing-1', env: at('0.01') }),
    bridge(bench, 'bridge, 100 % sampled', 1, { name: 'tracing-100', env: at('1') }),
  ])
}

const measureTracing = async (bench: Bench, load: Load, gather: Gather) => {
  const { rounds, seconds, rate } = bench.size.tracing
  const collector: Worker<CollectorAsk, CollectorGiven> = startWorker('peers/collector.ts')
  bench.afterwards(collector.stop)
  const participants = await startParticipants(bench, (await collector.ask('listen')).url)
  const answered = new Map<Participant, number>()
  const count = (it: Participant, ok: number) => answered.set(it, (answered.get(it) ?? 0) + ok)
  for (const it of participants) {
    const { ok } = await load.ask({
      urls: it.urls,
      connections: 64,
      seconds: bench.size.warmUp,
      ...bench.size.ingest.chats,
    })
    count(it, ok)
  }
  for (const each of [
    { name: '64 connections', connections: 64, seconds },
    { name: `${rate} requests/s`, connections: 64, seconds, rate },
  ])
    await inTurns(rounds, participants, async (it, round) => {
      const ok = await measure(bench, load, it, each, gather)
      count(it, ok)
      bench.say(`${each.name}, round ${round + 1}, ${it.who}: ${Math.round(ok / each.seconds)} requests/s`)
    })
  for (const it of participants) gather.check(`${it.who}: lost`, 0, await lost(bench, it, answered.get(it) ?? 0))
  for (const it of participants) await it.stop()
  gather.check('spans arrive at the Collector', 1, (await collector.ask('received')).bytes > 0 ? 1 : 0)
  await collector.stop()
}

const run = async (bench: Bench): Promise<Findings> => {
  const gather = gatherFindings()
  const load: Load = startWorker('load/http-load.ts')
  bench.afterwards(load.stop)
  await measureTracing(bench, load, gather)
  await load.stop()
  return gather.findings()
}

export const tracing: Job = {
  name: 'tracing',
  what: 'the same requests without spans, with tracing off, and with 1 and 100 % sampled',
  run,
}
