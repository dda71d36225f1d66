import { botReplies, eventTopics } from '../../../contracts/topics.ts'
import { eventually } from '../../support/eventually.ts'
import { endsOf, withAdmin } from '../../support/plain-consumer.ts'
import { commitAs } from './read-log.ts'

const events = eventTopics.map(({ name }) => name)

type Offsets = ReadonlyMap<string, number>

/** The progress of a world's projector by `<topic>/<partition>`, as Kafka reports it. */
export const projectorOf = (brokers: ReadonlyArray<string>, prefix: string) => {
  const groupId = `${prefix}projector`

  const askCommitted = (): Promise<Offsets> =>
    withAdmin(brokers, async (admin) => {
      const topics = [...events, botReplies.name].map((topic) => prefix + topic)
      const offsets = await admin.fetchOffsets({ groupId, topics })
      const all = offsets.flatMap(({ topic, partitions }) =>
        partitions.map(({ partition, offset }) => [`${topic}/${partition}`, Math.max(0, Number(offset))] as const),
      )
      return new Map(all)
    })
  /** Retries while the group's coordinator is not ready, which kafkajs leaves to its caller. */
  const committed = (): Promise<Offsets> =>
    eventually('the committed offsets', () =>
      askCommitted().catch((error: unknown) => {
        if (error instanceof Error && 'retriable' in error && error.retriable === true) return undefined
        throw error
      }),
    )
  const ends = (): Promise<Offsets> =>
    endsOf(
      brokers,
      events.map((topic) => prefix + topic),
    )
  const hasCome = (what: string, withinMs: number, there: (done: Offsets) => boolean | Promise<boolean>) => {
    // An error of a cluster without a leader does not count.
    const asked = async () => there(await committed())
    return eventually(what, async () => (await asked().catch(() => false)) || undefined, withinMs).then(
      () => true,
      () => false,
    )
  }
  const isAt = (wanted: Offsets, done: Offsets) => [...wanted].every(([each, end]) => (done.get(each) ?? 0) >= end)

  return {
    committed,
    /** Waits until it has committed all records, also new ones; false if that takes too long. */
    caughtUp: (withinMs = 60_000) => hasCome('all to be projected', withinMs, async (done) => isAt(await ends(), done)),
    /** The same for the records that there are now. */
    goesOn: async (withinMs = 60_000) => {
      const now = await ends()
      return hasCome('what there was to be projected', withinMs, (done) => isAt(now, done))
    },
    /** Waits until it has committed anything beyond these offsets; false if that takes too long. */
    moves: (since: Offsets, withinMs = 60_000) =>
      hasCome('the projector to move', withinMs, (done) =>
        [...done].some(([each, offset]) => offset > (since.get(each) ?? 0)),
      ),
    /** Sets its committed offsets; its group must have no members. */
    rewind: async (to: (committed: number) => number) => {
      const now = [...(await committed())].filter(([, offset]) => offset > 0)
      const offsets = now.map(([place, offset]) => {
        const [topic = '', partition] = place.split('/')
        return { topic, partition: Number(partition), offset: String(to(offset)) }
      })
      await commitAs(brokers, groupId, offsets)
    },
    /** Commits this offset of one partition for it; its group must have no members. */
    skip: (topic: string, partition: number, offset: number) =>
      commitAs(brokers, groupId, [{ topic: prefix + topic, partition, offset: String(offset) }]),
  }
}
