import type { Log } from '../shared/log.ts'
import './kafkajs-patches/batch-decoder.ts'
import './kafkajs-patches/fetch.ts'
import './kafkajs-patches/metadata-errors.ts'
import './kafkajs-patches/request-queue.ts'
import './compression.ts'
import { Kafka, type logCreator, logLevel, type Mechanism, type RetryOptions, type SASLOptions } from 'kafkajs'
import { type OAuthBearer, oauthBearer } from './oauth-bearer.ts'
import { type Sockets, seedOf, trackedSockets } from './sockets.ts'

/** The log of kafkajs, at level debug, without stacks, keys or payloads. src/bridge/kafka itself logs what operators need. */
const kafkajsLog =
  (log: Log): logCreator =>
  () =>
  ({ namespace, label, log: { message, broker, groupId, error } }) => {
    const detail = typeof error === 'string' ? { error } : {}
    log.debug({ kafkajs: namespace, level: label, broker, groupId, ...detail }, `kafkajs: ${message}`)
  }

/** How to reach the brokers. `topicPrefix` begins each topic's name. New topics get `partitions` and `replication`. */
export type KafkaSettings = {
  /** Each is `host:port` or `[IPv6 address]:port`. */
  readonly brokers: ReadonlyArray<string>
  /** An object has the authorities to trust instead of the system's, and the client's own certificate, in PEM. */
  readonly ssl: boolean | { readonly ca?: string; readonly cert?: string; readonly key?: string }
  readonly sasl?: Exclude<SASLOptions, { readonly mechanism: 'aws' | 'oauthbearer' }> | OAuthBearer
  readonly clientId: string
  readonly topicPrefix: string
  /** The beginning of each group's name. The default is `topicPrefix`. */
  readonly groupPrefix?: string
  readonly partitions: number
  /** The default is the cluster's. */
  readonly replication?: number
}

/** A separate kafkajs client, so that it can be discarded with all its sockets. */
export type Client = { readonly kafka: Kafka; readonly sockets: Sockets }
export type NewClient = (retry: RetryOptions) => Client

/** After this time without a response, a request counts as failed. Its effect is then not known. */
const requestTimeoutMs = 5_000
const connectionTimeoutMs = 3_000
// Above the heartbeats and the longest request, below the brokers' connections.max.idle.ms.
const silenceMs = 60_000

const credentialsOf = (sasl: KafkaSettings['sasl']): SASLOptions | Mechanism | undefined => {
  if (sasl?.mechanism === 'oauthbearer') return oauthBearer(sasl)
  return sasl
}

export const newClient = ({ brokers, ssl, sasl, clientId }: KafkaSettings, log: Log): NewClient => {
  const credentials = credentialsOf(sasl)
  const seeds = brokers.map(seedOf)
  let made = 0
  return (retry) => {
    const sockets = trackedSockets(silenceMs)
    // kafkajs begins with the first broker of the list. A client that does not retry would never try the next one.
    const first = made++ % Math.max(1, seeds.length)
    const kafka = new Kafka({
      brokers: [...seeds.slice(first), ...seeds.slice(0, first)],
      clientId,
      ssl,
      ...(credentials && { sasl: credentials }),
      retry,
      connectionTimeout: connectionTimeoutMs,
      requestTimeout: requestTimeoutMs,
      socketFactory: sockets.factory,
      logLevel: logLevel.WARN,
      logCreator: kafkajsLog(log),
    })
    return { kafka, sockets }
  }
}
