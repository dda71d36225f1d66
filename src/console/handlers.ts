import { type Account, timeZonesOf } from '../domain/accounts.ts'
import { now } from '../domain/clock.ts'
import type { KafkaPorts } from '../kafka/kafka.ts'
import type { Mongo, Query } from '../mongo/connect.ts'
import { conversationCountIn, conversationsIn } from '../mongo/console-conversations.ts'
import { minutesIn, nowIn, overIn } from '../mongo/console-now.ts'
import { auditIn, receiptsIn } from '../mongo/console-privacy.ts'
import { agentNamesIn, driftIn, statisticsIn } from '../mongo/console-statistics.ts'
import { storyIn, versionsIn } from '../mongo/console-story.ts'
import type { RecordAction } from '../operations/audit.ts'
import { monotonic, sleep } from '../shared/time.ts'
import { rolesFor } from './access/grants.ts'
import type { ConsoleRoute, SessionAnswer } from './answers.ts'
import { type AuditDeps, auditHandlers } from './api/audit.ts'
import { type ConversationDeps, conversationHandlers } from './api/conversation.ts'
import { type ConversationsDeps, conversationsHandlers } from './api/conversations.ts'
import { type DeadLettersDeps, deadLettersHandlers } from './api/dead-letters.ts'
import { type DriftDeps, driftHandlers } from './api/drift.ts'
import { type ErasuresDeps, erasuresHandlers } from './api/erasures.ts'
import { liveHandlers } from './api/live.ts'
import { type NowDeps, nowHandlers } from './api/now.ts'
import { type ConsoleResources, operationsHandlers } from './api/operations.ts'
import { type PersonDeps, personHandlers } from './api/person.ts'
import { type RebuildDeps, rebuildHandlers } from './api/rebuild.ts'
import { type RecordDeps, recordHandlers } from './api/record.ts'
import { type RedriveDeps, redriveHandlers } from './api/redrive.ts'
import { type StatisticsDeps, statisticsHandlers } from './api/statistics.ts'
import { stripHandlers } from './api/strip.ts'
import { type SystemDeps, systemHandlers } from './api/system.ts'
import { type Handlers, ok } from './handler.ts'
import { type StoryWatchDeps, storyWatch } from './story-watch.ts'

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

type ReadingDeps = SystemDeps &
  NowDeps &
  ConversationsDeps &
  ConversationDeps &
  StoryWatchDeps &
  RecordDeps &
  StatisticsDeps &
  DriftDeps

/** The handlers of routes that only read. */
export const readingHandlers = (deps: ReadingDeps) => ({
  ...systemHandlers(deps),
  ...nowHandlers(deps),
  ...conversationsHandlers(deps),
  ...conversationHandlers(deps),
  ...liveHandlers({ watch: storyWatch(deps).watch, sleep: deps.sleep }),
  ...recordHandlers(deps),
  ...statisticsHandlers(deps),
  ...driftHandlers(deps),
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

/** What the pages read from the views. */
export const pageQueries = (query: Query) => ({
  countNow: query(nowIn),
  readOver: query(overIn),
  countMinutes: query(minutesIn),
  findConversations: query(conversationsIn),
  countConversations: query(conversationCountIn),
  readStory: query(storyIn),
  readVersions: query(versionsIn),
  readStatistics: query(statisticsIn),
  readAgentNames: query(agentNamesIn),
  readDrift: query(driftIn),
  readAudit: query(auditIn),
  readReceipts: query(receiptsIn),
})

/** The handlers of all routes of the console's API. */
export const consoleHandlers = (deps: HandlersDeps): Handlers<ConsoleRoute> => {
  const { kafka, mongo, rebuilds, restore, accounts, retentionDays, version, readiness, groups, gates } = deps
  const { recordActionOf } = deps
  const { redrives, erasures } = mongo
  const queries = pageQueries(mongo.query)
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
    ...stripHandlers({
      readiness,
      monotonic,
      now,
      countNow: queries.countNow,
      kafka,
      redrives,
    }),
    ...operationsHandlers({ resources, recordActionOf }),
    ...readingHandlers({
      ...queries,
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
      erasedAt: erasures.erasedAt,
      timeZoneOf,
      recordActionOf,
    }),
    ...actingHandlers({
      ...queries,
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
