import type { TopicName } from '../../../contracts/topics.ts'
import {
  type CommittedOffsets,
  type CompareLog,
  type EndOffsets,
  intactUpTo,
  marksBefore,
  type Ranges,
  type TopicIds,
} from '../domain/log/positions.ts'
import { singleFlight } from '../shared/single-flight.ts'
import { monotonic, sleep } from '../shared/time.ts'
import type { Ask, AskOf, Cluster } from './admin.ts'
import { kindOf } from './errors.ts'

// The leader of a new topic, or a leader that has moved, may not know its partition for a moment.
const soon = new Set(['NOT_LEADER_FOR_PARTITION', 'LEADER_NOT_AVAILABLE', 'UNKNOWN_TOPIC_OR_PARTITION'])
const isSoonOver = (error: unknown) => soon.has(kindOf(error))
const tries = 5
const againAfterMs = 100

export const persistently = async <A>(question: () => Promise<A>, passes: (error: unknown) => boolean): Promise<A> => {
  for (let left = tries - 1; ; left--) {
    try {
      return await question()
    } catch (error) {
      if (left === 0 || !passes(error)) throw error
      await sleep(againAfterMs)
    }
  }
}

export const rangesOf = (ask: Ask, prefix: string): Ranges =>
  singleFlight(async (topic: TopicName) => {
    const partitions = await persistently(
      () => ask((admin) => admin.fetchTopicOffsets(`${prefix}${topic}`)),
      isSoonOver,
    )
    return new Map(partitions.map(({ partition, low, high }) => [partition, { low: Number(low), high: Number(high) }]))
  })

/** Deletes a group without members. Does nothing if the group does not exist or is in use. Ignores errors. */
export const forgetGroupOf =
  (ask: Ask, groupPrefix: string) =>
  async (group: string): Promise<void> => {
    await ask((admin) => admin.deleteGroups([`${groupPrefix}${group}`])).catch(() => undefined)
  }

/** The end of each partition's log, by one request to each broker. kafkajs's admin client sends three in sequence. */
const endsOf = async (cluster: Cluster, topic: string): Promise<ReadonlyMap<number, number>> => {
  await cluster.addTargetTopic(topic)
  await cluster.refreshMetadataIfNecessary()
  const partitions = cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => ({ partition: partitionId }))
  const [answer] = await cluster.fetchTopicsOffset([{ topic, fromBeginning: false, partitions }])
  return new Map(answer?.partitions.map(({ partition, offset }) => [partition, Number(offset)]))
}

/** Egress calls this hundreds of times a second. A result is never older than its call. */
export const endOffsetsOf = (ask: AskOf<Cluster>, prefix: string): EndOffsets =>
  singleFlight((topic) =>
    // Each retry has a new connection, which knows the current leaders.
    persistently(
      () => ask((cluster) => endsOf(cluster, `${prefix}${topic}`)),
      () => true,
    ),
  )

/** The first offset of each partition at or after this time (ms since 1970), or its end if there is no such record. */
export const offsetsAtOf =
  (ask: Ask, prefix: string) =>
  async (topic: TopicName, time: number): Promise<ReadonlyMap<number, number>> => {
    const found = await ask((admin) => admin.fetchTopicOffsetsByTimestamp(`${prefix}${topic}`, Math.floor(time)))
    return new Map(found.map(({ partition, offset }) => [partition, Number(offset)]))
  }

/** Permanently deletes all records before these offsets. */
export const deleteBeforeOf =
  (ask: Ask, prefix: string) =>
  async (topic: TopicName, offsets: ReadonlyMap<number, number>): Promise<void> => {
    const partitions = [...offsets].map(([partition, offset]) => ({ partition, offset: String(offset) }))
    await ask((admin) => admin.deleteTopicRecords({ topic: `${prefix}${topic}`, partitions }))
  }

/**
 * A committed offset, the id of the topic that it was committed for, and the leader epoch of the record before it. The
 * id is empty and the epoch missing if they are not known.
 */
export type Committed = { readonly offset: number; readonly topicId: string; readonly epoch?: number }

/** The metadata of a commit. Another group's tool may have committed with any metadata. */
export const commitMetadata = (topicId: string, epoch: number | undefined): string =>
  epoch === undefined ? topicId : `${topicId}:${epoch}`
const committedWith = (offset: string, metadata: string): Committed => {
  const [topicId = '', epoch = ''] = metadata.split(':')
  return { offset: Number(offset), topicId, ...(/^\d+$/.test(epoch) && { epoch: Number(epoch) }) }
}

export const committedOf =
  (ask: Ask, prefix: string, groupPrefix: string) =>
  async (group: string, topic: TopicName): Promise<ReadonlyMap<number, Committed>> => {
    const name = `${prefix}${topic}`
    const answers = await ask((admin) => admin.fetchOffsets({ groupId: `${groupPrefix}${group}`, topics: [name] }))
    const partitions = answers.find((answer) => answer.topic === name)?.partitions ?? []
    const committed = partitions.map(
      ({ partition, offset, metadata }) => [partition, committedWith(offset, metadata ?? '')] as const,
    )
    return new Map(committed.filter(([, { offset }]) => offset >= 0))
  }

/**
 * What a group has committed for the log as it is now. A commit for an earlier topic of that name is missing. If the
 * log has lost its end, the offset is where the log ended, and the epoch is that of the record before.
 */
export type ValidCommits = (group: string, topic: TopicName) => Promise<ReadonlyMap<number, ValidCommit>>
type ValidCommit = {
  readonly offset: number
  readonly epoch?: number | undefined
  /** Another program set the offset, such as kafka-consumer-groups. */
  readonly isForeign?: true
  /** Why it differs from what the group has committed. */
  readonly changed?: string
}

const noLongerThere = (from: number): ValidCommit => ({
  offset: from,
  changed: `the log has lost records: it is read from offset ${from} on`,
})

export const validCommitsOf =
  ({
    committed,
    topicIds,
    compareLog,
  }: {
    readonly committed: (group: string, topic: TopicName) => Promise<ReadonlyMap<number, Committed>>
    readonly topicIds: (topics: ReadonlyArray<TopicName>) => Promise<TopicIds>
    readonly compareLog: CompareLog
  }): ValidCommits =>
  async (group, topic) => {
    const all = await committed(group, topic)
    if (all.size === 0) return new Map()
    const id = (await topicIds([topic])).get(topic) ?? ''
    const current = [...all].filter(([, { topicId }]) => topicId === '' || id === '' || topicId === id)
    const states = await compareLog(topic, marksBefore(new Map(current)))
    return new Map(
      current.map(([partition, { offset, epoch, topicId }]) => {
        const state = states.get(partition)
        // The bridge's own commits have the id, if the broker gives topics ids.
        const isForeign = topicId === '' && id !== ''
        if (state === undefined || state.kind === 'intact')
          return [partition, { offset, epoch, ...(isForeign && { isForeign }) }] as const
        return [partition, noLongerThere(intactUpTo({ offset }, state))] as const
      }),
    )
  }

export const committedOffsetsOf =
  (valid: ValidCommits): CommittedOffsets =>
  async (group, topic) =>
    new Map([...(await valid(group, topic))].map(([partition, { offset }]) => [partition, offset]))

/** Without the offsets that another program has set. */
export const ownOffsetsOf =
  (valid: ValidCommits): CommittedOffsets =>
  async (group, topic) =>
    new Map(
      [...(await valid(group, topic))].flatMap(([partition, { offset, isForeign }]) =>
        isForeign ? [] : [[partition, offset]],
      ),
    )

const readWithinMs = 10_000
const askAgainMs = 200

/** Whether a group has committed all records that the topic has now. Waits up to 10 s for that. */
export const isReadBy =
  ({ ranges, committedOffsets }: { readonly ranges: Ranges; readonly committedOffsets: CommittedOffsets }) =>
  (group: string, topic: TopicName) =>
  async (signal: AbortSignal): Promise<boolean> => {
    const until = monotonic() + readWithinMs
    const ends = await ranges(topic)
    while (monotonic() < until && !signal.aborted) {
      const committed = await committedOffsets(group, topic)
      if ([...ends].every(([partition, { low, high }]) => (committed.get(partition) ?? low) >= high)) return true
      await sleep(askAgainMs, signal)
    }
    return false
  }
