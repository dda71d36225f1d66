import { type Account, timeZonesOf } from '../domain/accounts.ts'
import { now } from '../domain/clock.ts'
import type { KafkaPorts } from '../kafka/kafka.ts'
import type { Mongo } from '../mongo/connect.ts'
import type { RecordAction } from '../operations/audit.ts'
import { monotonic, sleep } from '../shared/time.ts'
import { rolesFor } from './access/grants.ts'
import type { SessionAnswer } from './answers.ts'
import { type AuditDeps, auditHandlers } from './api/audit.ts'
import { type DeadLettersDeps, deadLettersHandlers } from './api/dead-letters.ts'
import { type ErasuresDeps, erasuresHandlers } from './api/erasures.ts'
import { type ConsoleResources, operationsHandlers } from './api/operations.ts'
import { type PersonDeps, personHandlers } from './api/person.ts'
import { type RebuildDeps, rebuildHandlers } from './api/rebuild.ts'
import { type RedriveDeps, redriveHandlers } from './api/redrive.ts'
import { stripHandlers } from './api/strip.ts'
import { type Handlers, ok } from './handler.ts'
import { type ReadingDeps, readingHandlers } from './reading.ts'
import type { ConsoleRoute } from './routes.ts'

export type HandlersDeps = Pick<ReadingDeps, 'version' | 'readiness' | 'groups' | 'gates'> &
  Pick<RebuildDeps, 'rebuilds' | 'restore'> & {
    readonly kafka: KafkaPorts
    readonly mongo: Mongo
    readonly accounts: ReadonlyArray<Account>
    readonly recordActionOf: (who: string) => RecordAction
    readonly retentionDays: number | 'forever'
    readonly topicPrefix: string
    readonly traceUrlTemplate: string | undefined
  }

const sessionHandlers = ({
  accounts,
  traceUrlTemplate,
  timeZoneOf,
}: Pick<HandlersDeps, 'accounts' | 'traceUrlTemplate'> & {
  readonly timeZoneOf: (accountId: string) => string
}): Handlers<'GET /api/session'> => ({
  'GET /api/session': async ({ session: { who, csrf, expiresAt, grants } }) => {
    const seen = accounts.map(({ id }) => ({
      id,
      timeZone: timeZoneOf(id),
      roles: [...rolesFor(grants, id)],
    }))
    const answer: SessionAnswer = {
      who,
      csrf,
      expiresAt: expiresAt.toISOString(),
      accounts: seen.filter(({ roles }) => roles.length > 0),
      ...(traceUrlTemplate !== undefined && { traceUrlTemplate }),
    }
    return ok(answer)
  },
})

type ActingDeps = DeadLettersDeps & RedriveDeps & RebuildDeps & PersonDeps & ErasuresDeps & AuditDeps

/** The actions and pages of the roles operator and privacy. They use the code of the command line. */
export const actingHandlers = (deps: ActingDeps) => ({
  ...deadLettersHandlers(deps),
  ...redriveHandlers(deps),
  ...rebuildHandlers(deps),
  ...personHandlers(deps),
  ...erasuresHandlers(deps),
  ...auditHandlers(deps),
})

/** The handlers of all routes of the console's API. */
export const consoleHandlers = (deps: HandlersDeps): Handlers<ConsoleRoute> => {
  const { kafka, mongo, rebuilds, restore, accounts, retentionDays, version, readiness, groups, gates } = deps
  const { recordActionOf } = deps
  const { redrives, erasures, consoleReads } = mongo
  const timeZoneOf = timeZonesOf(accounts)
  const resources: ConsoleResources = {
    accounts,
    topicPrefix: deps.topicPrefix,
    retentionDays,
    kafka,
    redrives,
    erasures,
    silentPersons: mongo.silentPersons,
    archiveKeys: mongo.archiveKeys,
    rebuilds,
    restore,
  }
  return {
    ...sessionHandlers({ ...deps, timeZoneOf }),
    ...readingHandlers({
      now,
      sleep,
      monotonic,
      version,
      readiness,
      groups,
      gates,
      ranges: kafka.ranges,
      committedOffsets: kafka.committedOffsets,
      fetchRecord: kafka.fetchRecord,
      ...consoleReads,
      erasedAt: erasures.erasedAt,
      timeZoneOf,
      recordActionOf,
    }),
    ...stripHandlers({
      readiness,
      monotonic,
      now,
      countNow: consoleReads.countNow,
      kafka,
      redrives,
    }),
    ...operationsHandlers({ resources, recordActionOf }),
    ...actingHandlers({
      ...consoleReads,
      kafka,
      redrives,
      erasures,
      accounts,
      retentionDays,
      recordActionOf,
      rebuilds,
      restore,
    }),
  }
}
