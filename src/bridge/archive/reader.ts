import type { IncomingRecord } from '../domain/log/record.ts'
import type { Restore, Restored } from './restore.ts'

/** A record whose key MongoDB has lost, and of which the archive has had no readable copy so far. */
export type Missing = { readonly partition: number; readonly offset: number; readonly detail: string }

type Lost = Restored & { readonly kind: 'lost' }
type Given = Exclude<Restored, Lost>
type Located = Exclude<Restored, { readonly kind: 'corrupt' }>

/** What is known of one partition of one topic. */
type Log = { readonly next: number; readonly epoch?: number; readonly missing?: Missing }

/** What is known after a record, and whether it continues its log. */
const advance = (log: Log, found: Located): { readonly log: Log; readonly continues: boolean } => {
  const { partition, offset, epoch = 0 } = found.record
  // A log that has lost its end gives the offsets from there on to other records, of newer epochs.
  const isNewer = epoch > (log.epoch ?? epoch)
  // The archive has this record twice.
  const isRepeated = epoch < (log.epoch ?? epoch) || (offset < log.next && !isNewer)
  const waits = log.missing !== undefined && offset > log.missing.offset
  if (isRepeated || waits) return { log, continues: false }
  if (found.kind !== 'lost') return { log: { next: offset + 1, epoch }, continues: true }
  return { log: { ...log, missing: { partition, offset, detail: found.detail } }, continues: false }
}

type ArchiveReader = {
  /**
   * Restores the next records of an archive. Gives each record of a topic once, in the topic's order: the archive may
   * have it again. None is given before an earlier one that is missing. Gives corrupt ones as they come. An archiver
   * never leaves records out: it begins at an earlier record, or behind the last one of the archive.
   */
  readonly read: (archived: ReadonlyArray<IncomingRecord>) => Promise<ReadonlyArray<Given>>
  /** The first record of each log that is missing. All later records of the log have not been given. */
  readonly missing: () => ReadonlyArray<Missing>
}

/** `nextOf`: the first offset of a partition that is wanted. */
export const archiveReader = (restore: Restore, nextOf = (_partition: number): number => 0): ArchiveReader => {
  const logs = new Map<string, Log>()
  return {
    read: async (archived) => {
      const given: Given[] = []
      for (const found of await restore(archived)) {
        if (found.kind === 'corrupt') {
          given.push(found)
          continue
        }
        const { topicId, record } = found
        const name = `${topicId}/${record.partition}`
        const { log, continues } = advance(logs.get(name) ?? { next: nextOf(record.partition) }, found)
        logs.set(name, log)
        if (continues && found.kind !== 'lost') given.push(found)
      }
      return given
    },
    missing: () => [...logs.values()].flatMap(({ missing }) => missing ?? []),
  }
}
