import { type ICustomPartitioner, type IHeaders, Partitioners, type Producer } from 'kafkajs'
import type { TopicName } from '../../contracts/topics.ts'
import type { Log, Measure } from '../domain/ports.ts'
import { settled, within } from '../shared/timeout.ts'
import type { Client, NewClient } from './client.ts'
import { noAnswer, reasonOf } from './errors.ts'
import { isPacked } from './produce/packed.ts'
import type { BatchMessage } from './produce/record-batch.ts'
import type { Spreads } from './spread/spreads.ts'
import { sizeOf, type WireRecord } from './wire-record.ts'

type Deps = {
  readonly newClient: NewClient
  readonly prefix: string
  readonly spreads: Pick<Spreads, 'ready' | 'partitionOf'>
  readonly log: Log
  readonly measure: Pick<Measure, 'produced' | 'produceFailed'>
}

export type Sender = {
  /** Resolves when all in-sync replicas have the batch; any rejection means 'not known'. */
  readonly send: (batch: ReadonlyArray<WireRecord>) => Promise<void>
  readonly close: () => Promise<void>
}

type Live = { readonly client: Client; readonly producer: Producer }

// The broker gives up before the client does, so that an answer is lost as rarely as possible.
const ackTimeoutMs = 4_000
// Connecting, asking who leads and sending may each take the request timeout, where the broker freezes in between.
const sendWithinMs = 16_000

/** kafkajs takes a header with several values as well; its types ask for a list that may be changed. */
const messageOf = (record: WireRecord): BatchMessage => {
  if (isPacked(record)) return { key: record.keyBytes, value: record.packed, packed: record.packed }
  const { key, value, headers } = record
  return { key, value, headers: headers as IHeaders }
}

const topicMessages = (batch: ReadonlyArray<WireRecord>, prefix: string) =>
  [...Map.groupBy(batch, ({ topic }) => topic)].map(([topic, records]) => ({
    topic: `${prefix}${topic}`,
    messages: records.map(messageOf),
  }))

/**
 * Murmur2 of the key, as the Java and (so configured) the librdkafka clients have it: bot-replies is written by others. Over as
 * many partitions as a topic's keys were spread over so far, though there may be more by now.
 */
const partitioner =
  (prefix: string, { partitionOf }: Pick<Spreads, 'partitionOf'>): ICustomPartitioner =>
  () => {
    const byDefault = Partitioners.DefaultPartitioner()
    return (given) => {
      const { topic, message, partitionMetadata } = given
      const name = topic.slice(prefix.length) as TopicName
      const key = typeof message.key === 'string' ? Buffer.from(message.key) : (message.key ?? undefined)
      return (key && partitionOf(name, key, partitionMetadata.length)) ?? byDefault(given)
    }
  }

/**
 * Sends batches with a producer that is thrown away with its sockets after any rejection. It neither retries nor is idempotent:
 * when kafkajs retries, it can acknowledge what is not in the log. The lane repeats instead, on a fresh producer.
 */
export const sender = ({ newClient, prefix, spreads, log, measure }: Deps): Sender => {
  let live: Live | undefined
  let failing = false

  const fresh = (): Live => {
    const client = newClient({ retries: 0 })
    const producer = client.kafka.producer({
      allowAutoTopicCreation: false,
      idempotent: false,
      retry: { retries: 0 },
      createPartitioner: partitioner(prefix, spreads),
    })
    return { client, producer }
  }
  const discard = async (): Promise<void> => {
    const old = live
    live = undefined
    old?.client.sockets.close()
    if (old !== undefined) await settled(old.producer.disconnect(), 1_000)
  }
  const attempt = async (batch: ReadonlyArray<WireRecord>) => {
    await spreads.ready(batch.map(({ topic }) => topic))
    const connected = live !== undefined
    live ??= fresh()
    const { producer } = live
    if (!connected) await producer.connect()
    await producer.sendBatch({ acks: -1, timeout: ackTimeoutMs, topicMessages: topicMessages(batch, prefix) })
  }

  return {
    send: async (batch) => {
      const began = performance.now()
      try {
        await within(sendWithinMs, attempt(batch), () => Promise.reject(noAnswer()))
      } catch (error) {
        measure.produceFailed()
        if (!failing)
          log.warn({ records: batch.length, reason: reasonOf(error) }, 'kafka: sending fails and is repeated')
        failing = true
        await discard()
        throw error
      }
      if (failing) log.info({}, 'kafka: sending works again')
      failing = false
      const bytes = batch.reduce((sum, record) => sum + sizeOf(record), 0)
      measure.produced(batch.length, bytes, (performance.now() - began) / 1000)
    },
    close: discard,
  }
}
