import { createMetrics } from '../../../src/app/metrics.ts'
import { kafkaSettings } from '../../../src/app/servers.ts'
import { createLog } from '../../../src/app/telemetry.ts'
import { now } from '../../../src/bridge/domain/clock.ts'
import { connectKafka } from '../../../src/bridge/kafka/kafka.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { ownBroker } from '../../support/own-broker.ts'
import { plainClient } from '../../support/plain-consumer.ts'
import { latencies } from './load/latencies.ts'
import { ratios, summary } from './statistics.ts'
import { inTurns } from './turns.ts'

/**
 * What it costs that the embedded broker writes records to the disk before it acknowledges them, or every second: the
 * bridge's producer appends records of 1.3 KB to four topics of 12 partitions with these settings, in turns (ABBA).
 *
 *   node test/verify/bench/flush-cost.ts [ROUNDS]
 */
const rounds = Number(process.argv[2] ?? 8)
const turnMs = 1_000
const topics = ['chats', 'bot-conversations', 'calls', 'clients'] as const
const partitions = 12
const value = Buffer.alloc(1_300, 'x')
/** No topic is flushed by time unless its own settings say so. */
const never = '9223372036854775807'
const settings = [
  { name: 'default', configEntries: [] },
  { name: 'flush.ms=1000', configEntries: [{ name: 'flush.ms', value: '1000' }] },
  { name: 'flush.messages=1', configEntries: [{ name: 'flush.messages', value: '1' }] },
] as const
const loads = [1, 64] as const

const broker = await ownBroker(['log.flush.scheduler.interval.ms=500', `log.flush.interval.ms=${never}`])
const { brokers } = broker
const admin = plainClient(brokers).admin()
await admin.connect()

const named = settings.map((setting, i) => ({ ...setting, prefix: `t${i}.` }))
await admin.createTopics({
  waitForLeaders: false,
  topics: named.flatMap(({ prefix, configEntries }) =>
    topics.map((name) => ({
      topic: `${prefix}${name}`,
      numPartitions: partitions,
      configEntries: [...configEntries],
    })),
  ),
})
for (const { prefix } of named)
  for (const name of topics)
    await eventually('the leaders', () =>
      admin.fetchTopicOffsets(`${prefix}${name}`).then(
        () => true,
        () => false,
      ),
    )

const participants = named.map(({ name, prefix }) => {
  const log = createLog('silent')
  const given = kafkaSettings({ brokers, ssl: false }, { prefix, partitions }, 'bench')
  const kafka = connectKafka(given, { log, measure: createMetrics().measure, now })
  return { name, kafka, rates: new Map<number, number[]>(), waits: new Map<number, number[]>() }
})
type Participant = (typeof participants)[number]

let sent = 0
/** This many appends are under way at a time. */
const append = async ({ kafka }: Participant, atOnce: number, ms: number) => {
  const took = latencies()
  const until = performance.now() + ms
  const one = async () => {
    while (performance.now() < until) {
      const began = performance.now()
      const key = `acme/${sent++ % 500}`
      const topic = topics[sent % topics.length] ?? 'chats'
      right(await kafka.append({ topic, key, value, headers: { ce_id: `${sent}` } }, 30_000))
      took.record(performance.now() - began)
    }
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: atOnce }, one))
  return { rate: (1_000 * took.count()) / (performance.now() - began), p50: took.summary().p50 }
}
const add = (to: Map<number, number[]>, atOnce: number, figure: number) =>
  to.set(atOnce, [...(to.get(atOnce) ?? []), figure])

for (const participant of participants) for (const atOnce of loads) await append(participant, atOnce, 2 * turnMs)
await inTurns(rounds, participants, async (participant) => {
  for (const atOnce of loads) {
    const { rate, p50 } = await append(participant, atOnce, turnMs)
    add(participant.rates, atOnce, rate)
    add(participant.waits, atOnce, p50)
  }
})

const text = (figures: ReadonlyArray<number>, digits: number) => {
  const { median, min, max } = summary(figures)
  return `${median.toFixed(digits)} (${min.toFixed(digits)} to ${max.toFixed(digits)})`
}
const [base] = participants
console.log('| at once | setting | records/s | of default | p50 in ms | of default |\n|---:|---|---:|---:|---:|---:|')
for (const atOnce of loads)
  for (const { name, rates, waits } of participants) {
    const [rate, wait] = [rates.get(atOnce) ?? [], waits.get(atOnce) ?? []]
    const [baseRate, baseWait] = [base?.rates.get(atOnce) ?? [], base?.waits.get(atOnce) ?? []]
    const columns = [text(rate, 0), text(ratios(rate, baseRate), 2), text(wait, 2), text(ratios(wait, baseWait), 2)]
    console.log(`| ${[atOnce, name, ...columns].join(' | ')} |`)
  }

await Promise.all([admin.disconnect(), ...participants.map(({ kafka }) => kafka.stop())])
await broker.stop()
process.exit(0)
