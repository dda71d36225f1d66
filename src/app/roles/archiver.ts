import { archivedToIn, archiver } from '../../bridge/archive/archiver.ts'
import { dataKeys } from '../../bridge/archive/data-keys.ts'
import type { WrappingKeys } from '../../bridge/archive/key-file.ts'
import { archiveNames } from '../../bridge/archive/retention.ts'
import { erasedFinder } from '../../bridge/domain/person/erased.ts'
import { fromRecord } from '../../bridge/kafka/records.ts'
import { batchHeaderOf } from '../../bridge/kafka/unreadable.ts'
import { archiveKeysIn } from '../../bridge/mongo/archive-keys.ts'
import { topicsReadIn } from '../../bridge/mongo/topics-read.ts'
import { rollSegments } from '../../bridge/privacy/enrichments.ts'
import { monotonic, sleep } from '../../bridge/shared/time.ts'
import { type Part, type Ports, serverReasonOf } from '../ports.ts'

export const changedArchivesOf =
  ({ kafka, mongo }: Pick<Ports, 'kafka' | 'mongo'>) =>
  async () =>
    mongo.query(topicsReadIn).changed('archive', await kafka.topicIds(archiveNames))

const storeKnownEveryMs = 60_000

/** `readableTo`: the committed offsets before which the archive can be read (see `archiver`). */
export type Archiving = Part & Pick<ReturnType<typeof archiver>, 'readableTo'>

/** Encrypts the records of the event topics into the archive. */
export const startArchiver = async (
  { kafka, mongo, erasures, missed: { apply, lostKeys, storeKnownUntil }, log }: Ports,
  wrapping: WrappingKeys,
): Promise<Archiving> => {
  const { spec, health, readableTo } = archiver({
    keys: dataKeys(mongo.query(archiveKeysIn), wrapping),
    decode: fromRecord,
    append: kafka.append,
    findErased: erasedFinder({ ...erasures, clock: monotonic }),
    batchHeaderOf,
    changedArchives: changedArchivesOf({ kafka, mongo }),
    archivedTo: archivedToIn(kafka),
    committed: kafka.committedOffsets,
    missed: async () => {
      const refusal = await erasures.misfit()
      if (refusal !== undefined) return { refusal }
      await apply()
      const found = await lostKeys()
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
  const storing = setInterval(() => {
    storeKnownUntil().catch((error: unknown) =>
      log.debug({ reason: serverReasonOf(error) }, 'the erasures that the archiver has read could not be checked'),
    )
  }, storeKnownEveryMs)
  return {
    checks: { archiver: health(consumer.health) },
    readableTo,
    stop: async () => {
      clearInterval(storing)
      await Promise.all([consumer.stop(), stopRolling()])
    },
  }
}
