import type { ProduceConnection } from '../../../../src/bridge/kafka/produce/connection.ts'
import { instead } from './instead.ts'

/** Every connection to Kafka for writing, with some functions weakened. */
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
    connection(({ produce }) => ({
      produce: async (leader, batches) => {
        produce(leader, batches).catch(() => undefined)
        return batches.map(() => undefined)
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
    instead(
      () => import('../../../../src/bridge/kafka/partitions/partitioner.ts'),
      ({ partitionerOf }) => ({
        partitionerOf: ({ detect, log }) =>
          partitionerOf({
            log,
            detect: async (topic) => {
              const distribution = await detect(topic)
              return { ...distribution, keyPartitions: distribution.partitions }
            },
          }),
      }),
    ),
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
    instead(
      () => import('../../../../src/bridge/kafka/consumer/partition-reader.ts'),
      ({ partitionReader }) => ({
        partitionReader: (deps) =>
          partitionReader({
            ...deps,
            spec: {
              ...deps.spec,
              handle: (slice, owned) => {
                const last = slice.records.at(-1)
                if (last !== undefined) owned.done(last.offset)
                return deps.spec.handle(slice, owned)
              },
            },
          }),
      }),
    ),
    // MongoDB's own positions would find what a commit has left out.
    instead(
      () => import('../../../../src/bridge/views/positions.ts'),
      ({ positionsInMongo }) => ({
        positionsInMongo: (deps) => ({ ...positionsInMongo(deps), startAt: async () => undefined }),
      }),
    ),
  ],
  'an owner begins where the one before has committed': [
    instead(
      () => import('../../../../src/bridge/kafka/consumer/committed-offsets.ts'),
      ({ startOffsetsOf }) => ({
        // Nor where MongoDB ends, which is close to it.
        startOffsetsOf: (deps, { startAt: _, ...spec }) =>
          startOffsetsOf({ ...deps, validCommits: async () => new Map() }, spec),
      }),
    ),
  ],
  'a consumer that tells of its trouble': [
    instead(
      () => import('../../../../src/bridge/kafka/consumer/consume.ts'),
      ({ consumeWith }) => ({
        consumeWith: (deps) => async (spec) => ({
          ...(await consumeWith(deps)(spec)),
          health: () => ({ ok: true, reason: 'reads' }),
        }),
      }),
    ),
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
