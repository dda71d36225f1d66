import { archiveNameOf, type EventTopicName, eventTopicNames } from '../../../../contracts/topics.ts'
import { wrappingKidOf } from '../../archive/key-file.ts'
import { type LostOfTopic, lostOf } from '../../archive/lost-keys.ts'
import type { ArchiveKey, ArchiveKeys } from '../../domain/archive-keys.ts'
import type { IncomingRecord } from '../../domain/log/record.ts'
import type { KafkaPorts } from '../../kafka/kafka.ts'
import { readOrThrow } from '../../kafka/read-topic.ts'

/**
 * The records whose data keys MongoDB lacks although they were not erased. The archiver archives those again that their
 * topics still have.
 */
export const findLost = async (
  kafka: Pick<KafkaPorts, 'readTopic' | 'ranges' | 'topicIds'>,
  keys: Pick<ArchiveKeys, 'find'>,
  signal: AbortSignal,
): Promise<ReadonlyArray<LostOfTopic>> => {
  const read = async (name: EventTopicName, onSlice: (records: ReadonlyArray<IncomingRecord>) => Promise<void>) => {
    await readOrThrow(kafka.readTopic, archiveNameOf(name), onSlice, { signal })
    if (signal.aborted) throw new Error('it was interrupted')
  }
  const found: LostOfTopic[] = []
  for (const name of eventTopicNames) found.push(await lostOf({ ...kafka, keys, read }, name))
  return found
}

/** The stored keys, as if they had none of those that this wrapping key has wrapped. */
export const withoutWrapped = (
  { find }: Pick<ArchiveKeys, 'find'>,
  wrappingKid: string | undefined,
): Pick<ArchiveKeys, 'find'> => {
  const left = ({ kid, wrapped, ...rest }: ArchiveKey): ArchiveKey =>
    wrapped === undefined || kid === undefined || wrappingKidOf(wrapped) === wrappingKid
      ? rest
      : { ...rest, kid, wrapped }
  return {
    find: async (ids) => new Map([...(await find(ids))].map(([id, key]) => [id, left(key)])),
  }
}
