import { type EventTopicName, eventTopicNames } from '../../../contracts/topics.ts'
import type { CheckHealth } from '../domain/checks.ts'
import { archiverGroup } from '../domain/consumer-groups.ts'
import type { ConsumerSpec } from '../domain/log/consumer.ts'
import type { CommittedOffsets, TopicIds } from '../domain/log/positions.ts'
import type { Slice } from '../domain/log/record.ts'
import { archiveAgain } from './archive-again.ts'
import { type CopyDeps, copyIntoArchive } from './copy.ts'
import type { Again } from './lost.ts'

/** What the archiver has to archive again, or why it must not archive at all. */
export type Missed = { readonly refusal: string } | { readonly again: ReadonlyMap<EventTopicName, Again> }

type Deps = CopyDeps & {
  /** The archive topics that were created again after they were written to. Their records and offsets are lost. */
  readonly changedArchives: () => Promise<ReadonlyArray<string>>
  /** The offset after the last record of `topicId` that the archive of each partition has. 0 if it has none. */
  readonly archivedTo: (
    topic: EventTopicName,
    partitions: ReadonlyArray<number>,
    topicId: string,
  ) => Promise<ReadonlyMap<number, number>>
  /** What the archiver has committed for the topic as it is now. */
  readonly committed: CommittedOffsets
  /** Applies erasures that MongoDB has lost. Says what is to be archived again, or why archiving must not continue. */
  readonly missed: () => Promise<Missed>
  /** The text of an error that may be logged. */
  readonly reasonOf: (error: unknown) => string
}

const names = new Map<string, EventTopicName>(eventTopicNames.map((name) => [name, name]))

/**
 * Copies every record of the event topics into the archive, in the same order and partitions. A slice is archived when
 * all its records are durable there. It may be delivered again, so the archive may have a record twice. The marker of
 * an erasure destroys the data key of its record key before any later record is encrypted.
 */
export const archiver = (deps: Deps) => {
  const { keys, changedArchives, archivedTo, committed, missed, reasonOf } = deps
  const copy = copyIntoArchive(deps)
  const again = archiveAgain()
  let generations: TopicIds = new Map()
  let trouble: string | undefined
  let fits = false

  const lostArchives = async () => {
    const changed = await changedArchives()
    return changed.length === 0
      ? undefined
      : `${changed.join(', ')}: deleted and created again, so archived records are lost: restore them from a copy`
  }
  const take = async ({ topic, records }: Slice) => {
    const name = names.get(topic)
    if (name !== undefined) await copy(name, records, generations.get(name) ?? '')
  }
  const spec: ConsumerSpec = {
    group: archiverGroup,
    topics: eventTopicNames,
    // Each topic has its own archive.
    leftOutIfDenied: eventTopicNames,
    commit: 'when-handled',
    // No process waits for the archive. Larger fetches share the cost of a fetch, a request and a look-up of keys.
    fetchWaitsFor: { bytes: 1024 * 1024, ms: 500 },
    onAssigned: () => {
      keys.forget()
      // The trouble may be of a partition that another process has now.
      trouble = undefined
    },
    refuseTopics: async (ids) => {
      generations = new Map([...generations, ...ids])
      // Once: the file is read only once too, and this looks at every data key.
      const misfit = fits ? undefined : await keys.misfit()
      if (misfit !== undefined) return misfit
      fits = true
      const lost = await lostArchives()
      if (lost !== undefined) return lost
      if (again.isKnown()) return undefined
      const found = await missed()
      if ('refusal' in found) return found.refusal
      again.begin(found.again)
      return undefined
    },
    mustEnd: lostArchives,
    // The archive's own log may have lost its end. So what it has counts, not only what was committed.
    startAt: async (topic, partition) => {
      const name = names.get(topic)
      const offset = (await committed(archiverGroup, topic)).get(partition)
      if (name === undefined || offset === undefined) return offset
      const from = again.from(topic, partition) ?? offset
      const archived = await archivedTo(name, [partition], generations.get(name) ?? '')
      return Math.min(offset, from, archived.get(partition) ?? 0)
    },
    handle: async (slice) => {
      try {
        await take(slice)
        again.archived(slice)
        trouble = undefined
      } catch (error) {
        trouble = reasonOf(error)
        throw error
      }
    },
  }
  const health =
    (ofConsumer: CheckHealth): CheckHealth =>
    async () =>
      trouble === undefined ? ofConsumer() : { ok: false, reason: trouble }
  return { spec, health, readableTo: again.readableTo }
}
