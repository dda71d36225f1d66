import * as E from 'fp-ts/lib/Either.js'
import { archivedToIn } from '../../bridge/archive/archiver.ts'
import { retention } from '../../bridge/archive/retention.ts'
import { agreedTime } from '../../bridge/domain/agreed-time.ts'
import { viewsGroup } from '../../bridge/domain/consumer-groups.ts'
import { serverTimeOf } from '../../bridge/mongo/client.ts'
import { oldNotes } from '../../bridge/mongo/enrichments.ts'
import { topicsReadIn } from '../../bridge/mongo/topics-read.ts'
import { removeOldNotes } from '../../bridge/privacy/enrichments.ts'
import { sleep } from '../../bridge/shared/time.ts'
import { inMongo } from '../../bridge/views/positions.ts'
import type { Settings } from '../config.ts'
import { type Part, type Ports, serverReasonOf } from '../ports.ts'
import { type Archiving, changedArchivesOf } from './archiver.ts'

type RetentionPorts = Pick<Ports, 'kafka' | 'mongo' | 'metrics' | 'log'> & {
  readonly settings: Pick<Settings, 'accounts' | 'retentionDays'>
}

/** Deletes old records that are archived. Without `archiving` it only reports how many records are overdue. */
export const startRetention = (
  { settings, kafka, mongo, metrics, log }: RetentionPorts,
  archiving: Pick<Archiving, 'readableTo'> | undefined,
): Part => {
  const { retentionDays: days } = settings
  const deletes = archiving !== undefined
  if (days === 'forever') {
    if (deletes)
      log.warn({}, 'RETENTION_DAYS is forever: event topics never delete personal data and store it in plain text')
    return { checks: {}, stop: async () => {} }
  }
  const timeOfServers = async () => {
    const agreed = agreedTime(Date.now(), await mongo.query(serverTimeOf))
    if (E.isLeft(agreed)) throw new Error(agreed.left)
    return agreed.right
  }
  const accountIds = settings.accounts.map(({ id }) => id)
  const stopRemoving = removeOldNotes({
    days,
    oldNotes: (before) => mongo.query(oldNotes)(accountIds, before),
    append: kafka.append,
    now: timeOfServers,
    sleep,
    reasonOf: serverReasonOf,
    log,
  })
  const running = retention({
    days,
    deletes,
    sleep,
    reasonOf: serverReasonOf,
    log,
    ranges: kafka.ranges,
    offsetsAt: kafka.offsetsAt,
    deleteBefore: kafka.deleteBefore,
    committed: async (group, topic) => {
      const done = await kafka.committedOffsets(group, topic)
      if (group === viewsGroup)
        return inMongo(kafka.compareLog, topic, done, (await mongo.query(topicsReadIn).inViews(topic)).positionOf)
      return archiving === undefined ? done : archiving.readableTo(topic, done)
    },
    archivedTo: async (topic, partitions) =>
      archivedToIn(kafka)(topic, partitions, (await kafka.topicIds([topic])).get(topic) ?? ''),
    changedArchives: changedArchivesOf({ kafka, mongo }),
    now: timeOfServers,
  })
  const reporting = setInterval(() => {
    for (const [topic, records] of running.overdue()) metrics.measure.overdue(topic, records)
  }, 1_000)
  return {
    checks: { retention: running.health },
    stop: async () => {
      clearInterval(reporting)
      await Promise.all([running.stop(), stopRemoving()])
    },
  }
}
