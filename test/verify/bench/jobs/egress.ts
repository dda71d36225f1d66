import type { Bench, Findings, Job } from '../bench.ts'
import { bridgeWorld } from '../bridge.ts'
import { gatherFindings } from '../findings.ts'
import type { CommandsAsk, CommandsGiven } from '../load/commands.ts'
import { cpuSeconds, residentMb } from '../proc.ts'
import { inTurns } from '../turns.ts'
import { startWorker, type Worker } from '../worker.ts'

type Participant = {
  readonly who: string
  readonly topic: string
  readonly pid: number
  readonly withStuckChat: boolean
}

/** Each participant has its own bridge: the hanging requests of one's stuck chat do not delay the other. */
const participant = async (bench: Bench, serviceUrl: string, withStuckChat: boolean): Promise<Participant> => {
  const world = bridgeWorld(bench, { name: withStuckChat ? 'stuck' : 'healthy', serviceUrl })
  await world.start(['projector'])
  const { pid } = await world.start(['egress'])
  const who = withStuckChat ? 'bridge, with a stuck chat' : 'bridge'
  return { who, topic: `${world.prefix}bot-replies`, pid, withStuckChat }
}

const run = async (bench: Bench): Promise<Findings> => {
  const { add, check, findings } = gatherFindings()
  const { rounds, rate, seconds, chats } = bench.size.egress
  const load: Worker<CommandsAsk, CommandsGiven> = startWorker('load/commands.ts')
  bench.afterwards(load.stop)
  const { url } = await load.ask({ kind: 'listen' })
  const participants = [await participant(bench, url, false), await participant(bench, url, true)]
  const measure = async ({ who, topic, pid, withStuckChat }: Participant, forSeconds: number) => {
    const since = cpuSeconds(pid)
    const { brokers } = bench
    const ask = { brokers, topic, rate, seconds: forSeconds, chats, withStuckChat }
    const { answered } = await load.ask({ kind: 'command', ...ask })
    if (answered === undefined) throw new Error('the load has sent no commands')
    check(`${who}: replies that never came`, 0, answered.missing)
    return { cpu: ((cpuSeconds(pid) - since) * 1e6) / answered.sent, ...answered, ...answered.latency }
  }
  for (const each of participants) await measure(each, bench.size.warmUp)
  await inTurns(rounds, participants, async (each, round) => {
    const { cpu, p50, p99, max, repeated } = await measure(each, seconds)
    for (const [metric, unit, value] of [
      ['p50', 'ms', p50],
      ['p99', 'ms', p99],
      ['max', 'ms', max],
      ['CPU', 'µs a reply', cpu],
      ['memory', 'MB', residentMb(each.pid)],
      ['repeated', 'replies', repeated],
    ] as const)
      add({ case: `${rate} replies/s, ${chats} chats`, who: each.who, metric, unit }, value)
    bench.say(`round ${round + 1}, ${each.who}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`)
  })
  return findings()
}

export const egress: Job = { name: 'egress', what: 'a command appended until its POST is received', run }
