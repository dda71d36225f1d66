import type { TopicName } from '../../../../contracts/topics.ts'
import type { ProduceConnection } from './connection.ts'
import type { Brokers } from './next-requests.ts'

type On = {
  readonly prepared: () => void
  readonly unprepared: (topic: TopicName, error: unknown) => void
}

export type SharedConnection = Brokers & {
  /** Gets to know the leaders of the topic's partitions, unless it does so already. */
  readonly prepare: (topic: TopicName) => void
  /** The broker is busy until `send` resolves. */
  readonly use: <A>(leader: number, send: (connection: ProduceConnection) => Promise<A>) => Promise<A>
  readonly closeIfIdle: () => void
  readonly close: () => Promise<void>
}

/** The connection of all partitions that are not retried alone. */
export const sharedConnection = (connection: ProduceConnection, on: On): SharedConnection => {
  const prepared = new Map<TopicName, boolean>()
  const busy = new Set<number>()
  return {
    isPrepared: (topic) => prepared.get(topic) === true,
    leaderOf: connection.leaderOf,
    isBusy: (leader) => busy.has(leader),
    prepare: (topic) => {
      if (prepared.has(topic)) return
      prepared.set(topic, false)
      connection.prepare(topic).then(
        () => {
          prepared.set(topic, true)
          on.prepared()
        },
        (error: unknown) => {
          prepared.delete(topic)
          on.unprepared(topic, error)
        },
      )
    },
    use: async (leader, send) => {
      busy.add(leader)
      try {
        return await send(connection)
      } finally {
        busy.delete(leader)
      }
    },
    closeIfIdle: () => {
      if (busy.size === 0) void connection.close()
    },
    close: connection.close,
  }
}
