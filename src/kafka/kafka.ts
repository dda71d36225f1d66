import * as E from 'fp-ts/lib/Either.js'
import type { TopicName } from '../../contracts/topics.ts'
import type {
  Append,
  CheckHealth,
  CommittedOffsets,
  ConsumerSpec,
  DeadLetter,
  EndOffsets,
  Failure,
  IncomingRecord,
  Log,
  Measure,
  Now,
  Publish,
  RunningConsumer,
  TopicIds,
} from '../domain/ports.ts'
import { sleep } from '../shared/time.ts'
import { settled, within } from '../shared/timeout.ts'
import { adminConnection, clusterConnection } from './admin.ts'
import { type KafkaSettings, newClient } from './client.ts'
import { toRecord } from './cloud-event.ts'
import { consumeWith, type Supervised } from './consumer/consume.ts'
import { deadLetterFor } from './dead-letters.ts'
import { brokerHealth } from './health.ts'
import { largestBatch } from './largest-batch.ts'
import { committedOf, committedOffsetsOf, endOffsetsOf, forgetGroupOf, type Ranges, rangesOf } from './offsets.ts'
import { learnSpread } from './partitioner/learn-spread.ts'
import { partitionerOf, withKeySpreads } from './partitioner/partitioner.ts'
import type { Waiting } from './produce/backlog.ts'
import { produceConnection } from './produce/connection.ts'
import { type ProducerLimits, producer } from './produce/producer.ts'
import { type ReadTopic, readTopicWith } from './read-topic.ts'
import { type Redriven, toRedriven } from './redriven.ts'
import { type Reroute, rerouteWith } from './reroute.ts'
import { topicIdsOf } from './topic-ids.ts'
import { applyTopics, describeTopics, ensureTopics, type TopicReports } from './topics.ts'
import { sizeOf, type WireRecord } from './wire-record.ts'

/** Kafka as the other rooms see it. */
export type KafkaRoom = {
  readonly append: Append
  readonly publish: Publish
  /** For the consumer of that name. */
  readonly deadLetter: (consumer: string) => DeadLetter
  /** Appends the record that a dead letter holds to its own topic again. */
  readonly redrive: (letter: IncomingRecord, to: Redriven, withinMs: number) => Promise<E.Either<Failure, void>>
  readonly reroute: Reroute
  readonly consume: (spec: ConsumerSpec) => Promise<Supervised>
  readonly readTopic: ReadTopic
  readonly endOffsets: EndOffsets
  readonly committedOffsets: CommittedOffsets
  /** Where the log of each partition of a topic begins and ends. */
  readonly ranges: Ranges
  readonly forgetGroup: (group: string) => Promise<void>
  /** A topic that is deleted and created again has another id. */
  readonly topicIds: (topics: ReadonlyArray<TopicName>) => Promise<TopicIds>
  /** Creates the topics that are missing; reports, and does not change, those that are there. */
  readonly ensureTopics: () => TopicReports
  readonly describeTopics: () => TopicReports
  /** Creates the topics that are missing, and gives those that are there the settings that they would be created with. */
  readonly applyTopics: () => TopicReports
  readonly health: CheckHealth
  /** What is not known to be durable yet; the age in milliseconds. */
  readonly waiting: () => Waiting
  /** Refuses new records, stops the consumers, sends what waits, and closes every connection: within 15 s at most. */
  readonly stop: () => Promise<void>
}

const limits: ProducerLimits = {
  batch: { records: 2_000, bytes: 512 * 1024 },
  request: { records: 2_000, bytes: 1024 * 1024 },
  waiting: { records: 50_000, bytes: 64 * 1024 * 1024 },
}
const drainWithinMs = 5_000
const consumersWithinMs = 9_000

const late = (): E.Either<Failure, void> =>
  E.left({ kind: 'transient', reason: 'not known to be durable within the time given' })

/** Connects when it is needed, and again whenever that is lost; nothing of it outlives `stop`. */
export const connectKafka = (
  settings: KafkaSettings,
  { log, measure, now }: { readonly log: Log; readonly measure: Measure; readonly now: Now },
): KafkaRoom => {
  const { topicPrefix: prefix, groupPrefix = prefix } = settings
  const clock = () => performance.now()
  const clients = newClient(settings, log)
  const { ask, close } = adminConnection(clients)
  // By itself, since kafkajs loses a connection over a topic that is not there.
  const placing = adminConnection(clients)
  const cluster = clusterConnection(clients)
  const ranges = rangesOf(ask, prefix)
  const committed = committedOf(ask, prefix, groupPrefix)
  const committedOffsets = committedOffsetsOf(committed)
  const topicIds = topicIdsOf(cluster.ask, prefix)
  const forgetGroup = forgetGroupOf(ask, groupPrefix)
  const consumers = new Set<RunningConsumer>()
  const supervised = consumeWith({
    ...{ newClient: clients, prefix, groupPrefix, clock, log, measure, ranges, committed, topicIds },
    forgetGroup,
  })
  const consume: KafkaRoom['consume'] = async (spec) => {
    const consumer = await supervised(spec)
    consumers.add(consumer)
    return consumer
  }
  const readTopic = readTopicWith({ ranges, consume, clock })
  const partitioner = partitionerOf({ learn: learnSpread({ ranges: rangesOf(placing.ask, prefix), readTopic }), log })
  const records = producer({
    ...{ partitioner, limits, sleep, clock, log, measure, random: Math.random },
    connect: () => produceConnection(clients, prefix),
  })
  let stopping = false

  const take = (record: WireRecord): Promise<E.Either<Failure, void>> =>
    sizeOf(record) > largestBatch
      ? Promise.resolve(E.left({ kind: 'too-large', reason: 'larger than a reader would decompress' }))
      : records.append(record)
  const append: Append = (record, withinMs) => within(withinMs, take(record), late)

  return {
    append,
    publish: async (event, withinMs) => {
      const appended = await append(toRecord(event), withinMs)
      if (E.isRight(appended)) measure.published(event.type)
      return appended
    },
    deadLetter: deadLetterFor({ append: take, now, sleep, log, measure }, () => stopping),
    reroute: rerouteWith({ append: take, partitioner, sleep }, () => stopping),
    redrive: (letter, to, withinMs) => within(withinMs, take(toRedriven(letter, to)), late),
    consume,
    readTopic,
    endOffsets: endOffsetsOf(cluster.ask, prefix),
    committedOffsets,
    ranges,
    forgetGroup,
    topicIds,
    ensureTopics: () => withKeySpreads(ensureTopics(ask, settings), partitioner, prefix),
    describeTopics: () => withKeySpreads(describeTopics(ask, settings), partitioner, prefix),
    applyTopics: () => withKeySpreads(applyTopics(ask, settings), partitioner, prefix),
    health: brokerHealth(ask, records.waiting, clock),
    waiting: records.waiting,
    stop: async () => {
      stopping = true
      await settled(Promise.all([...consumers].map((consumer) => consumer.stop())), consumersWithinMs)
      await records.stop(drainWithinMs)
      await Promise.all([close(), placing.close(), cluster.close()])
    },
  }
}
