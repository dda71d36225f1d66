import * as E from 'fp-ts/lib/Either.js'
import { type TopicName, topics } from '../../../contracts/topics.ts'
import { endSpan, sendSpan, traceparentAfter } from '../adapters/tracing.ts'
import type { CheckHealth } from '../domain/checks.ts'
import type { Now } from '../domain/clock.ts'
import type { ConsumerSpec, RunningConsumer } from '../domain/log/consumer.ts'
import type { CommittedOffsets, CompareLog, EndOffsets, Ranges, TopicIds } from '../domain/log/positions.ts'
import type { Append, DeadLetter, Failure, IncomingRecord, OutgoingRecord, Publish } from '../domain/log/record.ts'
import type { Measure } from '../domain/metrics.ts'
import type { Log } from '../shared/log.ts'
import { sleep } from '../shared/time.ts'
import { settled, within } from '../shared/timeout.ts'
import { type Ask, adminConnection, brokerHealth, clusterConnection } from './admin.ts'
import { type KafkaSettings, type NewClient, newClient } from './client.ts'
import { consumeWith, type Supervised } from './consumer/consume.ts'
import { deadLetterFor, keepingRefused, ofJournal, type Redriven, toRedriven } from './dead-letters.ts'
import { type FetchFrom, type FetchRecord, fetchFromOf, fetchRecordOf, isDeniedOf } from './fetch-record.ts'
import { compareLogOf, epochEndsOf } from './leader-epochs.ts'
import {
  committedOf,
  committedOffsetsOf,
  deleteBeforeOf,
  endOffsetsOf,
  forgetGroupOf,
  offsetsAtOf,
  ownOffsetsOf,
  rangesOf,
  validCommitsOf,
} from './offsets.ts'
import { detectKeyDistribution } from './partitions/key-distribution.ts'
import { type Partitioner, partitionerOf } from './partitions/partitioner.ts'
import { type Reroute, rerouteWith } from './partitions/reroute.ts'
import type { Waiting } from './produce/backlog.ts'
import { produceConnection } from './produce/connection.ts'
import { type ProducerLimits, producer } from './produce/producer.ts'
import { type ReadTopic, readTopicWith } from './read-topic.ts'
import { toRecord } from './records.ts'
import { type MissingRights, missingRightsOf } from './rights.ts'
import { createTopicOf, deleteTopicsOf } from './topics/create.ts'
import { topicIdsOf } from './topics/ids.ts'
import {
  applyTopics,
  describeTopics,
  ensureTopics,
  type TopicReports,
  validateTopics,
  withKeyDistribution,
} from './topics/reconcile.ts'
import { type NewTopic, newTopicOf } from './topics/settings.ts'
import type { WireRecord } from './wire-record.ts'

/** The interface of src/bridge/kafka for the other folders. */
export type KafkaPorts = {
  /** Appends a record, however long that takes. Left, transient: Kafka does not accept the record now, or it stops. */
  readonly send: (record: OutgoingRecord) => Promise<E.Either<Failure, void>>
  readonly append: Append
  readonly publish: Publish
  /** The dead letters of the consumer with this name. */
  readonly deadLetter: (consumer: string) => DeadLetter
  /** Keeps a record of the journal that Kafka refuses, as a dead letter. */
  readonly keepRefused: (record: OutgoingRecord, reason: string) => Promise<void>
  /** Appends the record in a dead letter to its own topic again. */
  readonly redrive: (deadLetter: IncomingRecord, to: Redriven, withinMs: number) => Promise<E.Either<Failure, void>>
  readonly reroute: Reroute
  readonly consume: (spec: ConsumerSpec) => Promise<Supervised>
  readonly readTopic: ReadTopic
  readonly fetchRecord: FetchRecord
  readonly fetchFrom: FetchFrom
  readonly endOffsets: EndOffsets
  readonly committedOffsets: CommittedOffsets
  /** Without the offsets that another program has set, such as kafka-consumer-groups. */
  readonly ownOffsets: CommittedOffsets
  /** Where the log of each partition of a topic begins and ends. */
  readonly ranges: Ranges
  readonly forgetGroup: (group: string) => Promise<void>
  readonly compareLog: CompareLog
  readonly offsetsAt: ReturnType<typeof offsetsAtOf>
  readonly deleteBefore: ReturnType<typeof deleteBeforeOf>
  /** A topic that is deleted and created again has another id. */
  readonly topicIds: (topics: ReadonlyArray<TopicName>) => Promise<TopicIds>
  /** Creates the missing topics. Reports the existing topics and does not change their settings. */
  readonly ensureTopics: () => TopicReports
  readonly describeTopics: () => TopicReports
  /** As `describeTopics`, and says of a missing topic why it could not be created. */
  readonly validateTopics: () => TopicReports
  readonly missingRights: () => Promise<ReadonlyArray<MissingRights>>
  /** The topics as the bridge would create them. Asks nobody. */
  readonly newTopics: ReadonlyArray<NewTopic>
  /** Creates the missing topics. Gives existing topics the settings that a new topic would get. */
  readonly applyTopics: () => TopicReports
  /**
   * A second connection, with another prefix of topics, or with none: then topics have their full names. The caller
   * must stop it too. `groups` is the prefix of its groups; default: as here.
   */
  readonly withPrefix: (topics: string, groups?: string) => KafkaPorts
  readonly createTopic: ReturnType<typeof createTopicOf>
  /** Deletes extra topics by their full names. Those that do not exist are left out. */
  readonly deleteTopics: ReturnType<typeof deleteTopicsOf>
  readonly health: CheckHealth
  /** The records that are not known to be durable yet. */
  readonly waiting: () => Waiting
  /** Refuses new records, stops the consumers, sends the waiting records, and closes all connections. At most 15 s. */
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

type Send = (record: WireRecord) => Promise<E.Either<Failure, void>>

/** Makes a span of each record that belongs to a trace, and names it in the record. */
const traced =
  (send: Send): Send =>
  (record) => {
    const span = sendSpan(record, record.headers.traceparent)
    const traceparent = traceparentAfter(span, undefined)
    if (traceparent === undefined) return send(record)
    const sent = send({ ...record, headers: { ...record.headers, traceparent } })
    sent.then((result) => endSpan(span, E.isLeft(result) ? result.left.kind : undefined))
    return sent
  }

/** The connections for all requests but those of producers and consumers. Each connects on first use. */
const connectionsOf = (clients: NewClient) => {
  const all = {
    admin: adminConnection(clients),
    // kafkajs loses it when a topic does not exist.
    partitioner: adminConnection(clients),
    cluster: clusterConnection(clients),
    // It may wait, and a broker answers the requests of a connection one after the other.
    fetching: clusterConnection(clients),
    // kafkajs loses it at each denial.
    permissions: clusterConnection(clients),
  }
  const close = () => Promise.all(Object.values(all).map((connection) => connection.close()))
  return { ...all, close }
}

type Connections = ReturnType<typeof connectionsOf>

/** Where logs begin and end, what was committed, and whether they are still the same logs. */
const logsOf = (connections: Connections, prefix: string, groupPrefix: string) => {
  const { ask } = connections.admin
  const askCluster = connections.cluster.ask
  const ranges = rangesOf(ask, prefix)
  const topicIds = topicIdsOf(askCluster, prefix)
  const fetchRecord = fetchRecordOf(askCluster, prefix)
  const compareLog = compareLogOf(epochEndsOf(askCluster, prefix), fetchRecord)
  return {
    ranges,
    topicIds,
    fetchRecord,
    compareLog,
    fetchFrom: fetchFromOf(connections.fetching.ask, ranges, prefix),
    endOffsets: endOffsetsOf(askCluster, prefix),
    validCommits: validCommitsOf({ committed: committedOf(ask, prefix, groupPrefix), topicIds, compareLog }),
    forgetGroup: forgetGroupOf(ask, groupPrefix),
    offsetsAt: offsetsAtOf(ask, prefix),
    deleteBefore: deleteBeforeOf(ask, prefix),
  }
}

/** The topics themselves: their settings, and how keys are distributed over their partitions. */
const topicOperations = (ask: Ask, settings: KafkaSettings, partitioner: Partitioner) => {
  const withKeys = (reports: TopicReports) => withKeyDistribution(reports, partitioner, settings.topicPrefix)
  return {
    ensureTopics: () => withKeys(ensureTopics(ask, settings)),
    describeTopics: () => withKeys(describeTopics(ask, settings)),
    validateTopics: () => validateTopics(ask, settings),
    newTopics: topics.map((topic) => newTopicOf(topic, settings)),
    applyTopics: () => withKeys(applyTopics(ask, settings)),
    createTopic: createTopicOf(ask, settings),
    deleteTopics: deleteTopicsOf(ask),
  }
}

/** Connects on first use, and again when a connection is lost. After `stop` no connection is open. */
export const connectKafka = (
  settings: KafkaSettings,
  { log, measure, now }: { readonly log: Log; readonly measure: Measure; readonly now: Now },
): KafkaPorts => {
  const { topicPrefix: prefix, groupPrefix = prefix } = settings
  const clock = () => performance.now()
  const clients = newClient(settings, log)
  const connections = connectionsOf(clients)
  const { ask } = connections.admin
  const { validCommits, ...logs } = logsOf(connections, prefix, groupPrefix)

  const consumers = new Set<RunningConsumer>()
  const consumeSupervised = consumeWith({
    ...logs,
    validCommits,
    newClient: clients,
    prefix,
    groupPrefix,
    clock,
    log,
    measure,
    isDenied: isDeniedOf(connections.permissions.ask, prefix),
  })
  const consume: KafkaPorts['consume'] = async (spec) => {
    const consumer = await consumeSupervised(spec)
    const own = { ...consumer, stop: () => consumer.stop().finally(() => consumers.delete(own)) }
    consumers.add(own)
    return own
  }
  const readTopic = readTopicWith({ ranges: logs.ranges, consume, clock })

  const partitioner = partitionerOf({
    detect: detectKeyDistribution(rangesOf(connections.partitioner.ask, prefix), readTopic),
    log,
  })
  const records = producer({
    partitioner,
    limits,
    sleep,
    clock,
    log,
    measure,
    random: Math.random,
    connect: () => produceConnection(clients, prefix),
  })
  let stopping = false
  const send = traced(records.send)
  const append: Append = (record, withinMs) => within(withinMs, send(record), late)
  const deadLetter = deadLetterFor({ send, now, sleep, log, measure }, () => stopping)

  return {
    ...logs,
    ...topicOperations(ask, settings, partitioner),
    send,
    append,
    publish: async (event, withinMs) => {
      const appended = await append(toRecord(event), withinMs)
      if (E.isRight(appended)) measure.published(event.type)
      return appended
    },
    deadLetter,
    keepRefused: keepingRefused(deadLetter(ofJournal)),
    reroute: rerouteWith({ send, partitioner, sleep }, () => stopping),
    missingRights: missingRightsOf(connections.permissions.ask, prefix, groupPrefix),
    redrive: (letter, to, withinMs) => within(withinMs, send(toRedriven(letter, to)), late),
    consume,
    readTopic,
    committedOffsets: committedOffsetsOf(validCommits),
    ownOffsets: ownOffsetsOf(validCommits),
    withPrefix: (topics, groups = groupPrefix) =>
      connectKafka({ ...settings, topicPrefix: topics, groupPrefix: groups }, { log, measure, now }),
    health: brokerHealth(ask, records.waiting, clock),
    waiting: records.waiting,
    stop: async () => {
      stopping = true
      await settled(Promise.all([...consumers].map((consumer) => consumer.stop())), consumersWithinMs)
      await records.stop(drainWithinMs)
      await connections.close()
    },
  }
}
