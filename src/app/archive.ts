import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { archiver } from '../archive/archiver.ts'
import { dataKeys } from '../archive/data-keys.ts'
import { openKeyFile, type WrappingKeys } from '../archive/key-file.ts'
import { markers } from '../archive/markers.ts'
import { restorer } from '../archive/restore.ts'
import { archiveNames, retention } from '../archive/retention.ts'
import type { Log, Measure } from '../domain/ports.ts'
import type { KafkaRoom } from '../kafka/kafka.ts'
import { fromRecord } from '../kafka/records.ts'
import { reasonOf } from '../mongo/classify.ts'
import type { Mongo } from '../mongo/connect.ts'
import { rewrap } from '../operations/archive/rewrap.ts'
import { changesOf } from '../projections/decoded.ts'
import { sleep } from '../shared/time.ts'
import { exitOfWrongConfig, type Settings } from './config.ts'
import type { Part } from './consumers.ts'
import { withBothServers } from './servers.ts'

type Deps = {
  readonly kafka: KafkaRoom
  readonly mongo: Mongo
  readonly log: Log
  readonly measure: Measure
}

export const missingKeyFile =
  'ARCHIVE_KEY_FILE is not set: the archive needs the path of a JWK set, whose first key wraps the data keys'

/** The keys of the archive; undefined where none are configured. The bridge makes some for the servers that it brings along. */
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

/** The erasures that the archive has and MongoDB may lack. */
export const markersOf = ({ kafka, mongo }: Pick<Deps, 'kafka' | 'mongo'>) =>
  markers({
    ...{ now: Date.now, ...mongo.erasures, committed: kafka.committedNow },
    ...{ endOffsets: kafka.endOffsets, topicIds: kafka.topicIds, offsetsAt: kafka.offsetsAt },
    ...{ readTopic: kafka.readTopic, decode: fromRecord, keys: mongo.archiveKeys },
    empty: (record, marker) => mongo.applyChanges(changesOf(record, marker)),
  })

const lookEveryMs = 60_000

/** Encrypts what the event topics say into the archive. */
export const startArchiver = async ({ kafka, mongo, log }: Deps, wrapping: WrappingKeys): Promise<Part> => {
  const { apply, lostKey, look } = markersOf({ kafka, mongo })
  const { spec, health } = archiver({
    keys: dataKeys(mongo.archiveKeys, wrapping),
    decode: fromRecord,
    append: kafka.append,
    changedArchives: changedArchivesOf({ kafka, mongo }),
    missed: async () => {
      await apply()
      return lostKey(restorer(dataKeys(mongo.archiveKeys, wrapping)))
    },
    reasonOf,
  })
  const consumer = await kafka.consume(spec)
  log.info({ kid: wrapping.kid }, 'the archiver runs')
  const looking = setInterval(() => {
    look().catch((error: unknown) =>
      log.debug({ reason: reasonOf(error) }, 'it is not known which erasures are taken in'),
    )
  }, lookEveryMs)
  return {
    checks: { archiver: health(consumer.health) },
    stop: async () => {
      clearInterval(looking)
      await consumer.stop()
    },
  }
}

/** Deletes what is archived and old; in a process without the archiver it only tells of what is old. */
export const startRetention = (
  { kafka, mongo, log, measure }: Deps,
  days: Settings['retentionDays'],
  deletes: boolean,
): Part => {
  if (days === 'forever') {
    if (deletes) log.warn({}, 'RETENTION_DAYS is forever: event topics keep personal data for ever, in plain text')
    return { checks: {}, stop: async () => {} }
  }
  const running = retention({
    ...{ days, deletes, sleep, reasonOf, log },
    ...{ ranges: kafka.ranges, offsetsAt: kafka.offsetsAt, deleteBefore: kafka.deleteBefore },
    committed: kafka.committedNow,
    changedArchives: changedArchivesOf({ kafka, mongo }),
    now: Date.now,
  })
  const telling = setInterval(() => {
    for (const [topic, records] of running.overdue()) measure.overdue(topic, records)
  }, 1_000)
  return {
    checks: { retention: running.health },
    stop: async () => {
      clearInterval(telling)
      await running.stop()
    },
  }
}

const rewrapKeys = (retire: string | undefined): Promise<number> =>
  withBothServers('archive', async ({ settings, mongo, recordAction, out, err }) => {
    const wrapping = wrappingKeysOf(settings, false)
    if (E.isLeft(wrapping) || wrapping.right === undefined) {
      err(E.isLeft(wrapping) ? wrapping.left : missingKeyFile)
      return exitOfWrongConfig
    }
    return rewrap({ keys: mongo.archiveKeys, wrapping: wrapping.right, recordAction, say: out }, retire)
  })

/** `archive rewrap`: changes the key that wraps the archive's data keys. */
export const archiveCommand = (): Command =>
  new Command('archive').description('look after the encrypted archive of the event topics').addCommand(
    new Command('rewrap')
      .description(
        'wrap every data key of the archive with the first key of ARCHIVE_KEY_FILE; the archive itself is not touched',
      )
      .option('--retire <kid>', 'and say whether no data key is wrapped by this one any more; exit code 1 if one is')
      .action(async ({ retire }: { readonly retire?: string }) => process.exit(await rewrapKeys(retire))),
  )
