import { existsSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { archiveNameOf } from '../../contracts/topics.ts'
import { archiver, archiverGroup } from '../archive/archiver.ts'
import { dataKeys } from '../archive/data-keys.ts'
import { openKeyFile, type WrappingKeys } from '../archive/key-file.ts'
import { removeOldNotes } from '../archive/notes.ts'
import { archivedPlace } from '../archive/restore.ts'
import { archiveNames, retention, rollSegments } from '../archive/retention.ts'
import { agreedTime } from '../domain/agreed-time.ts'
import { now } from '../domain/clock.ts'
import { erasedFinder } from '../domain/erased.ts'
import type { Log, Measure } from '../domain/ports.ts'
import { reasonOf as kafkaReasonOf } from '../kafka/errors.ts'
import type { KafkaPorts } from '../kafka/kafka.ts'
import { fromRecord } from '../kafka/records.ts'
import { batchHeaderOf } from '../kafka/unreadable.ts'
import { reasonOf as mongoReasonOf } from '../mongo/classify.ts'
import type { Mongo } from '../mongo/connect.ts'
import { actionRecorder } from '../operations/audit.ts'
import { appendedSinceIn, retainedBy, startRetaining, viewsAreCurrentIn } from '../operations/erase/retain.ts'
import { monotonic, sleep } from '../shared/time.ts'
import type { Settings } from './config.ts'
import type { Part } from './consumers.ts'
import { markersOf } from './missed-erasures.ts'

type Deps = {
  readonly kafka: KafkaPorts
  readonly mongo: Mongo
  readonly log: Log
  readonly measure: Measure
}

export const missingKeyFile =
  'ARCHIVE_KEY_FILE is not set: the archive needs the path of a JWK set, whose first key wraps the data keys'

/** The text of an error of a server that may be shown. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error && error.name.startsWith('Kafka') ? kafkaReasonOf(error) : mongoReasonOf(error)

/**
 * The wrapping keys of the archive; undefined if none are configured. With two embedded servers and `mayMake`, the
 * bridge makes a key file in DATA_DIR.
 */
export const wrappingKeysOf = (
  { archiveKeyFile, kafka, mongo, dataDir }: Settings,
  mayMake: boolean,
): E.Either<string, WrappingKeys | undefined> => {
  if (archiveKeyFile !== undefined) return openKeyFile(archiveKeyFile, false)
  if (kafka !== 'embedded' || mongo !== 'embedded') return E.right(undefined)
  const path = join(dataDir, 'archive-keys.json')
  return mayMake || existsSync(path) ? openKeyFile(path, mayMake) : E.right(undefined)
}

const changedArchivesOf =
  ({ kafka, mongo }: Pick<Deps, 'kafka' | 'mongo'>) =>
  async () =>
    mongo.topicsRead.changed('archive', await kafka.topicIds(archiveNames))

/** Where the archive of a partition ends in its topic, by the last record of the archive. */
const archivedToOf =
  ({ kafka }: Pick<Deps, 'kafka'>): Parameters<typeof archiver>[0]['archivedTo'] =>
  async (topic, partition, topicId) => {
    const archive = archiveNameOf(topic)
    const { low = 0, high = 0 } = (await kafka.ranges(archive)).get(partition) ?? {}
    if (low === high) return undefined
    const last = await kafka.fetchRecord(archive, partition, high - 1)
    const place = last && archivedPlace(last)
    // Another record ends the archive, or the topic was created again: then only what was committed counts.
    if (place === undefined || (topicId !== '' && place.generation !== topicId)) return Number.POSITIVE_INFINITY
    return place.offset + 1
  }

const lookEveryMs = 60_000

/** `readableTo`: the committed offsets before which the archive can be read (see `archiver`). */
type Archiving = Part & Pick<ReturnType<typeof archiver>, 'readableTo'>

/** Encrypts the records of the event topics into the archive. */
export const startArchiver = async (
  { kafka, mongo, log }: Deps,
  settings: Pick<Settings, 'retentionDays'>,
  wrapping: WrappingKeys,
): Promise<Archiving> => {
  const { apply, lost, look } = markersOf({ kafka, mongo }, settings)
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
    reasonOf,
  })
  const consumer = await kafka.consume(spec)
  const stopRolling = rollSegments({ ranges: kafka.ranges, append: kafka.append, sleep, reasonOf, log })
  log.info({ kid: wrapping.kid }, 'the archiver runs')
  const looking = setInterval(() => {
    look().catch((error: unknown) =>
      log.debug({ reason: reasonOf(error) }, 'the erasures that the archiver has read could not be checked'),
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

/** Deletes old records that are archived. Without `archiving` it only reports how many records are overdue. */
export const startRetention = (
  { kafka, mongo, accounts, log, measure }: Deps & Pick<Settings, 'accounts'>,
  days: Settings['retentionDays'],
  archiving: Pick<Archiving, 'readableTo'> | undefined,
): Part => {
  const deletes = archiving !== undefined
  if (days === 'forever') {
    if (deletes)
      log.warn({}, 'RETENTION_DAYS is forever: event topics never delete personal data and store it in plain text')
    return { checks: {}, stop: async () => {} }
  }
  const timeOfServers = async () => {
    const agreed = agreedTime(Date.now(), await mongo.silentPersons.serverTime())
    if (E.isLeft(agreed)) throw new Error(agreed.left)
    return agreed.right
  }
  const accountIds = accounts.map(({ id }) => id)
  const stopRemoving = removeOldNotes({
    days,
    oldNotes: (before) => mongo.oldNotes(accountIds, before),
    append: kafka.append,
    now: timeOfServers,
    sleep,
    reasonOf,
    log,
  })
  const running = retention({
    days,
    deletes,
    sleep,
    reasonOf,
    log,
    ranges: kafka.ranges,
    offsetsAt: kafka.offsetsAt,
    deleteBefore: kafka.deleteBefore,
    committed: async (group, topic) => {
      const done = await kafka.committedOffsets(group, topic)
      return group === archiverGroup && archiving !== undefined ? archiving.readableTo(topic, done) : done
    },
    changedArchives: changedArchivesOf({ kafka, mongo }),
    now: timeOfServers,
  })
  const telling = setInterval(() => {
    for (const [topic, records] of running.overdue()) measure.overdue(topic, records)
  }, 1_000)
  return {
    checks: { retention: running.health },
    stop: async () => {
      clearInterval(telling)
      await Promise.all([running.stop(), stopRemoving()])
    },
  }
}

/** Erases persons without an event for `privacy.retainDays` of their account. Undefined if no account sets it. */
export const startRetainDays = (
  { kafka, mongo, log }: Deps,
  { accounts, retentionDays }: Pick<Settings, 'accounts' | 'retentionDays'>,
): Part | undefined => {
  const limited = accounts.flatMap(({ id, retainDays }) => (retainDays === undefined ? [] : [{ id, retainDays }]))
  if (limited.length === 0) return undefined
  const { health, stop } = startRetaining(limited, {
    kafka,
    erasures: mongo.erasures,
    silentPersons: mongo.silentPersons,
    clock: () => new Date(),
    sleep,
    log,
    reasonOf,
    recordAction: actionRecorder(kafka.append, now, retainedBy),
    viewsAreCurrent: viewsAreCurrentIn(kafka, Date.now),
    appendedSince: appendedSinceIn(kafka),
    kept: { retentionDays },
  })
  return { checks: { 'privacy.retainDays': health }, stop }
}
