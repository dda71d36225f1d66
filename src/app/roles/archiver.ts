import { archiveNameOf } from '../../../contracts/topics.ts'
import { archiver } from '../../bridge/archive/archiver.ts'
import { dataKeys } from '../../bridge/archive/data-keys.ts'
import type { WrappingKeys } from '../../bridge/archive/key-file.ts'
import { archivedPlace } from '../../bridge/archive/restore.ts'
import { archiveNames, rollSegments } from '../../bridge/archive/retention.ts'
import { erasedFinder } from '../../bridge/domain/person/erased.ts'
import { fromRecord } from '../../bridge/kafka/records.ts'
import { batchHeaderOf } from '../../bridge/kafka/unreadable.ts'
import { monotonic, sleep } from '../../bridge/shared/time.ts'
import type { Part, Ports } from '../ports.ts'
import { serverReasonOf } from '../reason.ts'

export const changedArchivesOf =
  ({ kafka, mongo }: Pick<Ports, 'kafka' | 'mongo'>) =>
  async () =>
    mongo.topicsRead.changed('archive', await kafka.topicIds(archiveNames))

/** Where the archives of these partitions end in their topic, by the last record of each archive. */
export const archivedToOf =
  ({ kafka }: Pick<Ports, 'kafka'>): Parameters<typeof archiver>[0]['archivedTo'] =>
  async (topic, partitions, topicId) => {
    const archive = archiveNameOf(topic)
    const ranges = await kafka.ranges(archive)
    const endOf = async (partition: number) => {
      const { low = 0, high = 0 } = ranges.get(partition) ?? {}
      if (low === high) return 0
      const last = await kafka.fetchRecord(archive, partition, high - 1)
      const place = last && archivedPlace(last)
      // Another record ends the archive: then only what was committed counts.
      if (place === undefined) return Number.POSITIVE_INFINITY
      // The archive keeps the order of the topics, so it has nothing of the present one.
      return topicId !== '' && place.generation !== topicId ? 0 : place.offset + 1
    }
    return new Map(await Promise.all(partitions.map(async (partition) => [partition, await endOf(partition)] as const)))
  }

const lookEveryMs = 60_000

/** `readableTo`: the committed offsets before which the archive can be read (see `archiver`). */
export type Archiving = Part & Pick<ReturnType<typeof archiver>, 'readableTo'>

/** Encrypts the records of the event topics into the archive. */
export const startArchiver = async (
  { kafka, mongo, missed: { apply, lost, look }, log }: Ports,
  wrapping: WrappingKeys,
): Promise<Archiving> => {
  const { spec, health, readableTo } = archiver({
    keys: dataKeys(mongo.archiveKeys, wrapping),
    decode: fromRecord,
    append: kafka.append,
    findErased: erasedFinder({ ...mongo.erasures, clock: monotonic }),
    batchHeaderOf,
    changedArchives: changedArchivesOf({ kafka, mongo }),
    archivedTo: archivedToOf({ kafka }),
    committed: kafka.committedOffsets,
    missed: async () => {
      const refusal = await mongo.erasures.misfit()
      if (refusal !== undefined) return { refusal }
      await apply()
      const found = await lost()
      const again = 'again' in found ? [...found.again].filter(([, parts]) => parts.size > 0) : []
      if (again.length > 0)
        log.warn(
          { topics: again.map(([topic]) => topic) },
          'MongoDB has lost data keys of the archive: their records are archived again from their topics',
        )
      return found
    },
    reasonOf: serverReasonOf,
  })
  const consumer = await kafka.consume(spec)
  const stopRolling = rollSegments({ ranges: kafka.ranges, append: kafka.append, sleep, reasonOf: serverReasonOf, log })
  log.info({ kid: wrapping.kid }, 'the archiver runs')
  const looking = setInterval(() => {
    look().catch((error: unknown) =>
      log.debug({ reason: serverReasonOf(error) }, 'the erasures that the archiver has read could not be checked'),
    )
  }, lookEveryMs)
  return {
    checks: { archiver: health(consumer.health) },
    readableTo,
    stop: async () => {
      clearInterval(looking)
      await Promise.all([consumer.stop(), stopRolling()])
    },
  }
}
