import { eventually } from '../support/eventually.ts'
import { endsOf, withAdmin } from '../support/plain-consumer.ts'

/** Creates a peer's topic; resolves when each partition has a leader. */
export const createTopic = async (brokers: ReadonlyArray<string>, topic: string, numPartitions: number) => {
  await withAdmin(brokers, (admin) => admin.createTopics({ topics: [{ topic, numPartitions }], waitForLeaders: false }))
  await eventually(`${topic} to be led`, () =>
    endsOf(brokers, [topic]).then(
      ({ size }) => size === numPartitions || undefined,
      () => undefined,
    ),
  )
}

/** How many records a topic has, which nobody deletes or compacts here. */
export const recordsIn = async (brokers: ReadonlyArray<string>, topic: string): Promise<number> => {
  const ends = await endsOf(brokers, [topic])
  return [...ends.values()].reduce((sum, end) => sum + end, 0)
}
