import './kafkajs-patches/batch-decoder.ts'
import './kafkajs-patches/fetch.ts'
import './kafkajs-patches/metadata-errors.ts'
import './kafkajs-patches/request-queue.ts'
import './compression.ts'
import { Kafka, type logCreator, logLevel, type RetryOptions, type SASLOptions } from 'kafkajs'
import type { Log } from '../domain/ports.ts'
import { type Sockets, seedOf, trackedSockets } from './sockets.ts'

/** The log of kafkajs, at level debug, without stacks, keys or payloads. src/kafka logs itself what operators need. */
const kafkajsLog =
  (log: Log): logCreator =>
  () =>
  ({ namespace, label, log: { message, broker, groupId, error } }) => {
    const detail = typeof error === 'string' ? { error } : {}
    log.debug({ kafkajs: namespace, level: label, broker, groupId, ...detail }, `kafkajs: ${message}`)
  }

/** How the brokers are reached; `topicPrefix` is the beginning of each topic's and group's name, `partitions` and `replication` are for new topics. */
export type KafkaSettings = {
  /** `host:port` or `[IPv6 address]:port` each. */
  readonly brokers: ReadonlyArray<string>
  /** With more than `true`: whom to trust instead of the system's authorities, and the client's own certificate, in PEM. */
  readonly ssl: boolean | { readonly ca?: string; readonly cert?: string; readonly key?: string }
  readonly sasl?: {
    readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
    readonly username: string
    readonly password: string
  }
  readonly clientId: string
  readonly topicPrefix: string
  /** The beginning of each group's name; `topicPrefix` where it is missing. */
  readonly groupPrefix?: string
  readonly partitions: number
  /** The cluster's default where it is missing. */
  readonly replication?: number
}

/** A kafkajs client of its own, so that it can be given up with all that it holds. */
export type Client = { readonly kafka: Kafka; readonly sockets: Sockets }
export type NewClient = (retry: RetryOptions) => Client

/** After so long without an answer a request has failed, in the sense that its effect is not known. */
const requestTimeoutMs = 5_000
const connectionTimeoutMs = 3_000
// Above the heartbeats and the longest request, below the brokers' connections.max.idle.ms.
const silenceMs = 60_000

export const newClient = ({ brokers, ssl, sasl, clientId }: KafkaSettings, log: Log): NewClient => {
  const credentials: SASLOptions | undefined = sasl
  const seeds = brokers.map(seedOf)
  let made = 0
  return (retry) => {
    const sockets = trackedSockets(silenceMs)
    // kafkajs begins with the first of the list, and a client that does not retry would never come to the next.
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
