import * as E from 'fp-ts/lib/Either.js'
import { archiveNameOf, type EventTopicName, type TopicName, topics } from '../../../../contracts/topics.ts'
import { archiveReader } from '../../archive/reader.ts'
import type { Restore } from '../../archive/restore.ts'
import type { Append, IncomingRecord } from '../../domain/log/record.ts'
import type { KafkaPorts } from '../../kafka/kafka.ts'
import { readOrThrow } from '../../kafka/read-topic.ts'

/** Records that Kafka received at `from` or later and before `to`, in ms since 1970. */
export type Span = { readonly from?: number; readonly to?: number }

/** What was written, and the offset of each partition from which the event topic continues. */
export type Replayed = {
  readonly records: number
  /** Records that were not events of the bridge and were erased. Nothing is left of them. */
  readonly leftOut: number
  /** Records that differ from what was archived. They become dead letters. */
  readonly corrupt: number
  readonly continueAt: Readonly<Record<string, number>>
}

const appendWithinMs = 30_000

/** Why records cannot be replayed into a topic (its full name); undefined if they can. */
export const refusalOf = (into: string, prefix: string): string | undefined => {
  if (!/^[\w.-]{1,249}$/.test(into) || /^\.\.?$/.test(into))
    return 'The name of a topic has 1 to 249 characters of A-Z a-z 0-9 . _ -'
  return topics.some(({ name }) => into === `${prefix}${name}`)
    ? `${into} is a topic of the bridge. Give the name of another topic.`
    : undefined
}

/**
 * Writes the archived records of a topic into another topic: the same keys, values and headers, in the same partitions
 * and order. Erased events keep the data that is not personal, as in the views, so a fold gives the same counts. Throws
 * if a data key is lost and the archive has no copy of its records further on, and if a record cannot be written.
 */
export const replay = async (
  {
    kafka,
    restore,
    append,
    signal,
  }: {
    readonly kafka: Pick<KafkaPorts, 'readTopic' | 'topicIds' | 'deadLetter'>
    readonly restore: Restore
    /** Appends to a topic by its full name. */
    readonly append: Append
    readonly signal: AbortSignal
  },
  topic: EventTopicName,
  into: string,
  { from, to }: Span,
): Promise<Replayed> => {
  const present = (await kafka.topicIds([topic])).get(topic) ?? ''
  const deadLetter = kafka.deadLetter('replay')
  const archive = archiveReader(restore)
  const continueAt = new Map<number, number>()
  let [records, leftOut, corrupt] = [0, 0, 0]

  const write = async ({ key, value, headers, partition }: IncomingRecord) => {
    const record = { topic: into as TopicName, key, value, headers, partition }
    const appended = await append(record, appendWithinMs)
    if (E.isLeft(appended)) throw new Error(`${into}: ${appended.left.reason}`)
    records++
  }
  const take = async (archived: ReadonlyArray<IncomingRecord>) => {
    const due: IncomingRecord[] = []
    for (const found of await archive.read(archived)) {
      if (found.kind === 'corrupt') {
        await deadLetter(found.archived, 'corrupt', found.detail)
        corrupt++
        continue
      }
      const { record, topicId, kind } = found
      const { partition, offset, timestamp } = record
      if (to !== undefined && timestamp >= to) continue
      if (topicId === present) continueAt.set(partition, offset + 1)
      if (from !== undefined && timestamp < from) continue
      if (kind === 'record') due.push(record)
      else leftOut++
    }
    await Promise.all(due.map(write))
  }
  await readOrThrow(kafka.readTopic, archiveNameOf(topic), take, { signal })
  if (signal.aborted) throw new Error('it was interrupted')
  for (const { detail } of archive.missing()) throw new Error(detail)
  return { records, leftOut, corrupt, continueAt: Object.fromEntries([...continueAt].sort(([a], [b]) => a - b)) }
}
