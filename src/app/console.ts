import { actingHandlers } from '../console/acting.ts'
import { readingHandlers } from '../console/reading.ts'
import { type Account, timeZonesOf } from '../domain/accounts.ts'
import { now } from '../domain/clock.ts'
import type { ReadReadiness } from '../http/health.ts'
import type { KafkaRoom } from '../kafka/kafka.ts'
import type { Mongo } from '../mongo/connect.ts'
import { actionRecorder } from '../operations/audit.ts'
import { monotonic, sleep } from '../shared/time.ts'
import { consumerGroups, type Part } from './consumers.ts'
import { version } from './metrics.ts'

type Deps = {
  readonly kafka: KafkaRoom
  readonly mongo: Mongo
  readonly accounts: ReadonlyArray<Account>
  readonly retentionDays: number | 'forever'
  readonly readiness: ReadReadiness
  /** Those that run in this process; more may come. */
  readonly parts: ReadonlyArray<Part>
}

/** What answers the routes of the console. */
export const consoleHandlers = ({ kafka, mongo, accounts, retentionDays, readiness, parts }: Deps) => {
  const recordActionOf = (who: string) => actionRecorder(kafka.append, now, who)
  const { redrives, erasures, consoleReads } = mongo
  const reading = readingHandlers({
    ...{ now, sleep, monotonic, version, readiness, groups: consumerGroups },
    ...{ ranges: kafka.ranges, committedOffsets: kafka.committedOffsets, readTopic: kafka.readTopic },
    ...consoleReads,
    erasedAt: mongo.erasures.erasedAt,
    gates: () => parts.flatMap(({ gates }) => gates?.() ?? []),
    timeZoneOf: timeZonesOf(accounts),
    recordActionOf,
  })
  return {
    ...reading,
    ...actingHandlers({ ...consoleReads, kafka, redrives, erasures, accounts, retentionDays, recordActionOf }),
  }
}
