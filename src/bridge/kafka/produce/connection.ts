import type { TopicName } from '../../../../contracts/topics.ts'
import { partitionName } from '../../domain/log/record.ts'
import { settled, within } from '../../shared/timeout.ts'
import { type Broker, clusterOf } from '../admin.ts'
import type { NewClient } from '../client.ts'
import { kafkaDoesNotAnswer, kindOf } from '../errors.ts'
import { createErrorFromCode, produceApiKey, produceVersions } from '../kafkajs-internals.ts'
import { encodeProduce, noIdentity, type RecordBatch } from './record-batch.ts'

/** A batch for one partition. */
export type PartitionBatch = RecordBatch & { readonly topic: TopicName; readonly partition: number }

/** A connection for produce requests. It does not retry. The caller must close it after any failure. */
export type ProduceConnection = {
  /** Resolves when the leaders of the topic's partitions are known. */
  readonly prepare: (topic: TopicName) => Promise<void>
  /** The broker that leads a partition. Undefined if there is no leader or no such partition. */
  readonly leaderOf: (topic: TopicName, partition: number) => number | undefined
  readonly has: (topic: TopicName, partition: number) => boolean
  /** A unique producer id. The id of `noIdentity` if the broker does not authorize this user to get one. */
  readonly newProducerId: (leader: number) => Promise<number>
  /** Each batch's error, undefined when all in-sync replicas have the batch. Rejects if no batch's result is known. */
  readonly produce: (leader: number, batches: ReadonlyArray<PartitionBatch>) => Promise<ReadonlyArray<unknown>>
  readonly close: () => Promise<void>
}

type Response = {
  readonly topics: ReadonlyArray<{
    readonly topicName: string
    readonly partitions: ReadonlyArray<{ readonly partition: number; readonly errorCode: number }>
  }>
}

/** The error of a partition without a leader. */
export const noLeader = () => Object.assign(new Error('no leader'), { type: 'LEADER_NOT_AVAILABLE' })

const acks = -1
// The broker times out before the client, so that a response is lost as rarely as possible.
const timeoutMs = 4_000
// Two steps (connect, then request the leaders or send) may each take the request timeout if a broker freezes.
const withinMs = 10_000

const bounded = <A>(promise: Promise<A>): Promise<A> =>
  within(withinMs, promise, () => Promise.reject(kafkaDoesNotAnswer()))

/**
 * Replaces kafkajs's producer. That rejects a whole send for the error of one partition, although the response shows
 * which partitions are acknowledged. With kafkajs's sequence numbers, a broker may acknowledge records that it does not
 * have.
 */
const call = async (broker: Broker, batches: ReadonlyArray<PartitionBatch>, prefix: string) => {
  const { request, response } = broker.lookupRequest(
    produceApiKey,
    produceVersions,
  )({ acks, timeout: timeoutMs, topicData: [] })
  const encode = async () => {
    const named = batches.map((batch) => ({ ...batch, topic: `${prefix}${batch.topic}` }))
    const buffer = await encodeProduce({ acks, timeoutMs, batches: named }, Date.now())
    return { buf: buffer, buffer }
  }
  const parse = async (data: Response) => data
  const answer = await broker.connectionPool.send({ request: { ...request, encode }, response: { ...response, parse } })
  return answer as Response | undefined
}

const errorsIn = (
  answer: Response | undefined,
  batches: ReadonlyArray<PartitionBatch>,
  prefix: string,
): ReadonlyArray<unknown> => {
  // There is no response if the request asked for no acknowledgement.
  if (answer === undefined) return batches.map(() => undefined)
  const codes = new Map(
    answer.topics.flatMap(({ topicName, partitions }) =>
      partitions.map(({ partition, errorCode }) => [partitionName({ topic: topicName, partition }), errorCode]),
    ),
  )
  return batches.map(({ topic, partition }) => {
    const code = codes.get(partitionName({ topic: `${prefix}${topic}`, partition }))
    if (code === undefined) return kafkaDoesNotAnswer()
    return code === 0 ? undefined : createErrorFromCode(code)
  })
}

export const produceConnection = (newClient: NewClient, prefix: string): ProduceConnection => {
  const client = newClient({ retries: 0 })
  const cluster = clusterOf(client.kafka)
  let connected: Promise<void> | undefined
  const metadataOf = (topic: TopicName, partition: number) =>
    cluster.findTopicPartitionMetadata(`${prefix}${topic}`).find(({ partitionId }) => partitionId === partition)

  const connect = () => {
    connected ??= cluster.connect()
    return connected
  }
  return {
    prepare: (topic) => bounded(connect().then(() => cluster.addTargetTopic(`${prefix}${topic}`))),
    leaderOf: (topic, partition) => {
      const leader = metadataOf(topic, partition)?.leader ?? -1
      return leader < 0 ? undefined : leader
    },
    has: (topic, partition) => metadataOf(topic, partition) !== undefined,
    newProducerId: async (leader) => {
      const broker = await bounded(cluster.findBroker({ nodeId: leader }))
      const given = bounded(broker.initProducerId({ transactionalId: null, transactionTimeout: 0 }))
      return given.then(
        ({ producerId }) => Number(producerId),
        (error: unknown) => {
          if (kindOf(error).endsWith('AUTHORIZATION_FAILED')) return noIdentity.producerId
          throw error
        },
      )
    },
    produce: async (leader, batches) => {
      const send = async () => call(await cluster.findBroker({ nodeId: leader }), batches, prefix)
      return errorsIn(await bounded(send()), batches, prefix)
    },
    close: async () => {
      client.sockets.close()
      await settled(cluster.disconnect(), 1_000)
    },
  }
}
