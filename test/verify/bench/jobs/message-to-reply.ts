import type { Role } from '../../../../src/bridge/domain/roles.ts'
import { createTopics } from '../../../support/plain-consumer.ts'
import { botToken, providerId } from '../account.ts'
import type { Bench, Findings, Job } from '../bench.ts'
import { botUrl, bridgeWorld } from '../bridge.ts'
import { gatherFindings } from '../findings.ts'
import { countingRequests, kafkaRequests, processesOf } from '../kafka-requests.ts'
import type { TalkAsk, TalkGiven } from '../load/talk.ts'
import type { EchoAsk } from '../peers/echo-bot.ts'
import type { FloorAsk, FloorGiven } from '../peers/floor.ts'
import { cpuSeconds } from '../proc.ts'
import { inTurns } from '../turns.ts'
import { countRequests } from '../views.ts'
import { startWorker, type Worker } from '../worker.ts'

type Participant = {
  readonly who: string
  readonly url: string
  readonly pids: ReadonlyArray<number>
  /** The requests to Kafka so far, where they are counted. */
  readonly requests?: () => Promise<number>
}

const partitions = 6

const echo = async (bench: Bench, ask: Omit<EchoAsk, 'brokers'>) => {
  const bot = startWorker<EchoAsk, void>('peers/echo-bot.ts')
  bench.afterwards(bot.stop)
  await bot.ask({ ...ask, brokers: bench.brokers })
}

/** The bridge with these roles in each of its processes. */
const bridge = async (
  bench: Bench,
  name: string,
  who: string,
  processes: ReadonlyArray<ReadonlyArray<Role>> | 'as npm start does',
  serviceUrl: string,
  checkout?: string,
): Promise<Participant> => {
  const world = bridgeWorld(bench, { name, partitions, serviceUrl, ...(checkout && { checkout }) })
  const { dir } = world
  const started = []
  for (const roles of typeof processes === 'string' ? [processes] : processes)
    started.push({ roles, process: await world.start(roles, { env: countingRequests(dir) }) })
  await echo(bench, { from: `${world.prefix}bot-conversations`, to: `${world.prefix}bot-replies`, language: 'events' })
  const door = started.find(({ roles }) => typeof roles === 'string' || roles.includes('ingress'))
  if (door === undefined) throw new Error('no process has the role ingress')
  const pids = started.map(({ process }) => process.pid)
  const parts =
    typeof processes === 'string'
      ? pids.flatMap((pid) => processesOf(pid).filter(({ name }) => name !== 'parent'))
      : pids.map((pid) => ({ pid }))
  return {
    who,
    url: botUrl(door.process),
    pids,
    requests: () =>
      kafkaRequests(
        dir,
        parts.map(({ pid }) => pid),
      ),
  }
}

const floor = async (bench: Bench, service: string): Promise<Participant> => {
  const [messages, replies] = ['floor-messages', 'floor-replies']
  const topics = [messages, replies].map((topic) => ({ topic, numPartitions: partitions }))
  await createTopics(bench.brokers, topics)
  const worker = startWorker<FloorAsk, FloorGiven>('peers/floor.ts')
  bench.afterwards(worker.stop)
  const serviceUrl = `${service}/webhooks/${providerId}/${botToken}`
  const { url } = await worker.ask({ brokers: bench.brokers, messages, replies, serviceUrl })
  await echo(bench, { from: messages, to: replies, language: 'wire' })
  return { who: 'floor: bare node:http and kafkajs', url, pids: [worker.pid] }
}

const run = async (bench: Bench): Promise<Findings> => {
  const { add, check, findings } = gatherFindings()
  const { rates, seconds, chats, perChat, rounds } = bench.size.messageToReply
  const load: Worker<TalkAsk, TalkGiven> = startWorker('load/talk.ts')
  bench.afterwards(load.stop)
  const { url: service } = await load.ask({ kind: 'listen' })
  const { before } = bench.bridge
  const participants = [
    await bridge(bench, 'talk', 'bridge, npm start', 'as npm start does', service),
    ...(before === undefined
      ? []
      : [await bridge(bench, 'talk-before', 'before', 'as npm start does', service, before)]),
    await bridge(bench, 'apart', 'bridge, a process a role', [['ingress'], ['projector'], ['egress']], service),
    await floor(bench, service),
  ]
  const mongo = await countRequests(bench)
  const measure = async ({ who, url, pids, requests }: Participant, rate: number, forSeconds: number) => {
    const [kafka, asked] = [await requests?.(), await mongo.soFar()]
    const since = cpuSeconds(...pids)
    const { talk } = await load.ask({ kind: 'talk', url, rate, seconds: forSeconds, chats, perChat })
    if (talk === undefined) throw new Error('the load has not talked')
    const cpu = ((cpuSeconds(...pids) - since) * 1e6) / talk.sent
    check(`${who}, ${rate}/s: replies that never came`, 0, talk.missing)
    const ofKafka = requests && kafka !== undefined ? ((await requests()) - kafka) / talk.sent : undefined
    const ofMongo = requests && ((await mongo.soFar()) - asked) / talk.sent
    return { cpu, ofKafka, ofMongo, refused: talk.refused, repeated: talk.repeated, ...talk.latency }
  }
  for (const each of participants) await measure(each, Math.max(...rates), bench.size.warmUp)
  for (const rate of rates)
    await inTurns(rounds, participants, async (each, round) => {
      const { cpu, p50, p99, max, refused, repeated, ofKafka, ofMongo } = await measure(each, rate, seconds)
      for (const [metric, unit, value] of [
        ['p50', 'ms', p50],
        ['p99', 'ms', p99],
        ['max', 'ms', max],
        ['CPU', 'µs a message', cpu],
        ['not answered 200', 'messages', refused],
        ['repeated', 'replies', repeated],
        ['requests to Kafka', 'a message', ofKafka],
        ['requests to MongoDB', 'a message', ofMongo],
      ] as const)
        if (value !== undefined) add({ case: `${rate} messages/s`, who: each.who, metric, unit }, value)
      bench.say(`${rate}/s, round ${round + 1}, ${each.who}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`)
    })
  await mongo.stop()
  return findings()
}

export const messageToReply: Job = {
  name: 'message-to-reply',
  what: "a client's message posted until the bot's reply is received",
  run,
}
