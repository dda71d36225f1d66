import * as E from 'fp-ts/lib/Either.js'
import type { TopicName } from '../../../../contracts/topics.ts'
import type { ConsumerSpec } from '../../../../src/bridge/domain/log/consumer.ts'
import type { Ranges } from '../../../../src/bridge/domain/log/positions.ts'
import type { KafkaPorts } from '../../../../src/bridge/kafka/kafka.ts'
import { murmur2 } from '../../../../src/bridge/kafka/partitions/key-distribution.ts'
import type { ProduceConnection } from '../../../../src/bridge/kafka/produce/connection.ts'
import { instead } from './instead.ts'

/** Kafka as other rooms see it, with some functions weakened. */
const connected = (weaken: (original: KafkaPorts) => Partial<KafkaPorts>) =>
  instead(
    () => import('../../../../src/bridge/kafka/kafka.ts'),
    ({ connectKafka }) => ({
      connectKafka: (...given) => {
        const original = connectKafka(...given)
        return { ...original, ...weaken(original) }
      },
    }),
  )

/** Every consumer, with a weaker specification. */
const consuming = (weaken: (spec: ConsumerSpec, original: KafkaPorts) => ConsumerSpec) =>
  connected((original) => ({ consume: (spec) => original.consume(weaken(spec, original)) }))

/** The present number of partitions of each topic, a second old at most. */
const partitionCounts = (ranges: Ranges) => {
  const counts = new Map<TopicName, Promise<number>>()
  const ask = async (topic: TopicName) => (await ranges(topic)).size
  setInterval(() => {
    for (const topic of counts.keys())
      ask(topic).then(
        (count) => counts.set(topic, Promise.resolve(count)),
        () => {},
      )
  }, 1_000).unref()
  return (topic: TopicName): Promise<number> => {
    const count = counts.get(topic) ?? ask(topic)
    counts.set(topic, count)
    return count
  }
}

/** Every connection to Kafka for writing, with some functions weakened: what follows is invisible outside of the room. */
const connection = (weaken: (original: ProduceConnection) => Partial<ProduceConnection>) =>
  instead(
    () => import('../../../../src/bridge/kafka/produce/connection.ts'),
    ({ produceConnection }) => ({
      produceConnection: (newClient, prefix) => {
        const original = produceConnection(newClient, prefix)
        return { ...original, ...weaken(original) }
      },
    }),
  )

/** Partitions whose last batch has failed. */
const failing = new Set<string>()

export const kafka = {
  'acknowledgement by the broker': [
    connected(({ send }) => ({
      send: async (record) => {
        void send(record)
        return E.right(undefined)
      },
    })),
  ],
  'acknowledgement by all replicas': [
    instead(
      () => import('../../../../src/bridge/kafka/produce/record-batch.ts'),
      ({ encodeProduce }) => ({
        encodeProduce: (request, timestamp) => encodeProduce({ ...request, acks: 1 }, timestamp),
      }),
    ),
  ],
  'what the broker refuses is sent again': [
    connection(({ produce }) => ({
      produce: async (leader, batches) => {
        await produce(leader, batches).catch(() => {})
        return batches.map(() => undefined)
      },
    })),
  ],
  'a failing partition waits alone': [
    connection(({ produce }) => ({
      produce: async (leader, batches) => {
        const names = batches.map(({ topic, partition }) => `${topic}/${partition}`)
        if (failing.size > 0 && !names.some((name) => failing.has(name))) throw new Error('another partition fails')
        const errors = await produce(leader, batches)
        for (const [i, name] of names.entries())
          if (errors[i] === undefined) failing.delete(name)
          else failing.add(name)
        return errors
      },
    })),
  ],
  'keys stay in their partition': [
    connected(({ send, ranges }) => {
      const countOf = partitionCounts(ranges)
      return {
        send: async (record) => {
          const count = await countOf(record.topic)
          return send({ ...record, partition: murmur2(Buffer.from(record.key ?? '')) % count })
        },
      }
    }),
  ],
  'what is large is compressed': [
    instead(
      () => import('../../../../src/bridge/kafka/produce/partition-queue.ts'),
      ({ partitionQueue }) => ({
        partitionQueue: (topic, partition, limits) => {
          const queue = partitionQueue(topic, partition, limits)
          return { ...queue, begin: () => ({ ...queue.begin(), isCompressed: false }) }
        },
      }),
    ),
  ],
  'sockets are destroyed with their producer': [connection(() => ({ close: () => Promise.resolve() }))],
  'commit after MongoDB has acknowledged': [
    consuming((spec) => ({
      ...spec,
      handle: (slice, owned) => {
        const last = slice.records.at(-1)
        if (last !== undefined) owned.done(last.offset)
        return spec.handle(slice, owned)
      },
    })),
    // MongoDB's own positions would find what a commit has left out.
    instead(
      () => import('../../../../src/bridge/views/positions.ts'),
      ({ positionsInMongo }) => ({
        positionsInMongo: (deps) => ({ ...positionsInMongo(deps), startAt: async () => undefined }),
      }),
    ),
  ],
  'an owner begins where the one before has committed': [
    consuming((spec, { ranges }) => ({
      ...spec,
      // Nor where MongoDB ends, which is close to it.
      startAt: async (topic, partition) => (await ranges(topic)).get(partition)?.low,
    })),
  ],
  'a consumer that tells of its trouble': [
    connected(({ consume }) => ({
      consume: async (spec) => ({ ...(await consume(spec)), health: () => ({ ok: true, reason: 'reads' }) }),
    })),
  ],
  'an offset counts only with its leader epoch': [
    instead(
      () => import('../../../../src/bridge/kafka/wire-record.ts'),
      ({ toIncoming }) => ({
        epochIn: () => undefined,
        toIncoming: (...message) => {
          const { epoch: _, ...record } = toIncoming(...message)
          return record
        },
      }),
    ),
  ],
  'a damaged batch is one record': [
    instead(
      () => import('../../../../src/bridge/kafka/unreadable.ts'),
      () => ({ unreadable: () => undefined }),
    ),
  ],
}
