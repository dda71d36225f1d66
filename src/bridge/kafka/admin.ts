import type { Admin, Kafka, KafkaMessage } from 'kafkajs'
import type { CheckHealth, Health } from '../domain/checks.ts'
import { singleFlight } from '../shared/single-flight.ts'
import { settled, within } from '../shared/timeout.ts'
import type { Client, NewClient } from './client.ts'
import { kafkaDoesNotAnswer, kafkaReasonOf, unreachable } from './errors.ts'
import { clusterMakerOf } from './kafkajs-internals.ts'

type Partitions = ReadonlyArray<{ readonly partition: number }>
type Question = { readonly topic: string; readonly fromBeginning: boolean; readonly partitions: Partitions }
type Offsets = ReadonlyArray<{ readonly partition: number; readonly offset: string }>

/** A request of Kafka's protocol in the version that a broker wants, with the decoder of its response. */
type ProtocolCall<Response> = {
  readonly request: { readonly encode: () => Promise<object> }
  readonly response: { readonly decode: (bytes: Buffer) => Promise<Response> }
}
export type FetchedMessage = Pick<KafkaMessage, 'offset' | 'timestamp' | 'key' | 'value' | 'headers'>
type Fetched = {
  readonly responses: ReadonlyArray<{
    readonly partitions: ReadonlyArray<{ readonly messages: ReadonlyArray<FetchedMessage> }>
  }>
}
export type Broker = {
  readonly fetch: (request: object) => Promise<Fetched>
  readonly versions: Readonly<Record<number, { readonly maxVersion: number }>>
  readonly lookupRequest: (apiKey: number, versions: object) => (request: object) => ProtocolCall<unknown>
  readonly connectionPool: { readonly send: (call: object) => Promise<unknown> }
  readonly initProducerId: (request: object) => Promise<{ readonly producerId: string }>
  readonly findGroupCoordinator: (request: object) => Promise<{ readonly coordinator: { readonly nodeId: number } }>
  readonly heartbeat: (request: object) => Promise<void>
}

/** The internal cluster object of kafkajs's clients: only the parts that this folder uses. */
export type Cluster = {
  readonly connect: () => Promise<void>
  readonly disconnect: () => Promise<void>
  readonly addTargetTopic: (topic: string) => Promise<void>
  readonly refreshMetadataIfNecessary: () => Promise<void>
  readonly findTopicPartitionMetadata: (
    topic: string,
  ) => ReadonlyArray<{ readonly partitionId: number; readonly leader: number }>
  readonly findBroker: (broker: { readonly nodeId: number }) => Promise<Broker>
  readonly findControllerBroker: () => Promise<Broker>
  readonly fetchTopicsOffset: (
    questions: ReadonlyArray<Question>,
  ) => Promise<ReadonlyArray<{ readonly topic: string; readonly partitions: Offsets }>>
}
type Settings = {
  readonly metadataMaxAge: number
  readonly allowAutoTopicCreation: false
  readonly isolationLevel: number
}

// Added partitions are known after this time.
const metadataMaxAge = 1_000
/** The isolation level: records of aborted transactions are not read. */
export const readCommitted = 1

export const clusterOf = (kafka: Kafka): Cluster => {
  const settings: Settings = { metadataMaxAge, allowAutoTopicCreation: false, isolationLevel: readCommitted }
  return clusterMakerOf(kafka)(settings) as Cluster
}

/** The client that receives the questions. */
type Asked = { readonly connect: () => Promise<void>; readonly disconnect: () => Promise<void> }
export type AskOf<Of extends Asked> = <A>(question: (asked: Of) => Promise<A>, withinMs?: number) => Promise<A>
export type Ask = AskOf<Admin>
type Connection<Of extends Asked> = { readonly ask: AskOf<Of>; readonly close: () => Promise<void> }

const answerWithinMs = 8_000

/**
 * One long-lived connection for questions. A question that fails or times out rejects, and the next one gets a new
 * connection, which knows the current leaders. Questions under way keep the old one if the broker has answered: at its
 * start a broker refuses one partition, and answers for another. After `close`, each question rejects: a new connection
 * would stay open, and would keep the process alive.
 */
const connection = <Of extends Asked>(newClient: NewClient, make: (kafka: Kafka) => Of): Connection<Of> => {
  type Live = { readonly client: Client; readonly asked: Of; readonly connected: Promise<void>; underWay: number }
  const open = new Set<Live>()
  let live: Live | undefined
  let closed = false
  let failingSince: number | undefined

  const fresh = (): Live => {
    const client = newClient({ retries: 2, initialRetryTime: 100, maxRetryTime: 500 })
    const asked = make(client.kafka)
    const made = { client, asked, connected: asked.connect(), underWay: 0 }
    open.add(made)
    return made
  }
  const discard = async (old: Live) => {
    if (live === old) live = undefined
    if (!open.delete(old)) return
    old.client.sockets.close()
    await settled(old.asked.disconnect(), 1_000)
  }
  return {
    ask: async (question, withinMs = answerWithinMs) => {
      if (closed) throw new Error('the connection to Kafka is closed')
      live ??= fresh()
      const mine = live
      mine.underWay++
      try {
        const answer = mine.connected.then(() => question(mine.asked))
        const answered = await within(withinMs, answer, () => Promise.reject(kafkaDoesNotAnswer()))
        failingSince = undefined
        return answered
      } catch (error) {
        if (live === mine) live = undefined
        if (unreachable(error) === undefined) failingSince = undefined
        else {
          failingSince ??= Date.now()
          await discard(mine)
        }
        throw unreachable(error, failingSince) ?? error
      } finally {
        mine.underWay--
        if (live !== mine && mine.underWay === 0) void discard(mine)
      }
    },
    close: async () => {
      closed = true
      await Promise.all([...open].map(discard))
    },
  }
}

export const adminConnection = (newClient: NewClient): Connection<Admin> =>
  connection(newClient, (kafka) => kafka.admin())

export const clusterConnection = (newClient: NewClient): Connection<Cluster> => connection(newClient, clusterOf)

const healthWithinMs = 2_000
const freshMs = 1_000
const stuckAfterMs = 5_000

type WaitingRecords = {
  readonly records: number
  readonly oldestMs: number
  readonly failing: ReadonlyArray<{ readonly topic: string; readonly reason: string }>
}

/** Healthy if a broker answers and no record waits for more than 5 s. The broker's answer is cached for a second. */
export const brokerHealth = (ask: Ask, waiting: () => WaitingRecords, clock: () => number): CheckHealth => {
  let last: { readonly at: number; readonly health: Health } | undefined
  const reach = singleFlight(async (_: 'broker'): Promise<Health> => {
    const health = await ask((admin) => admin.describeCluster(), healthWithinMs).then(
      ({ brokers }) => ({ ok: true, reason: brokers.length === 1 ? '1 broker' : `${brokers.length} brokers` }),
      (error: unknown) => ({ ok: false, reason: kafkaReasonOf(error) }),
    )
    last = { at: clock(), health }
    return health
  })
  return async () => {
    const { records, oldestMs, failing } = waiting()
    if (oldestMs > stuckAfterMs) {
      const causes = failing.map(({ topic, reason }) => `; ${topic}: ${reason}`).join('')
      return { ok: false, reason: `${records} records wait, the oldest for ${Math.round(oldestMs / 1000)} s${causes}` }
    }
    return last !== undefined && clock() - last.at < freshMs ? last.health : reach('broker')
  }
}
