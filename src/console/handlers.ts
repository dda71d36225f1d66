import { type Account, timeZonesOf } from '../bridge/domain/accounts.ts'
import { now } from '../bridge/domain/clock.ts'
import { monotonic, sleep } from '../bridge/shared/time.ts'
import { rolesFor } from './access/grants.ts'
import type { SessionAnswer } from './answers.ts'
import { conversationHandlers } from './api/conversation.ts'
import { conversationsHandlers } from './api/conversations.ts'
import { deadLettersHandlers } from './api/dead-letters.ts'
import { failedRepliesHandlers } from './api/failed-replies.ts'
import { liveHandlers } from './api/live.ts'
import { nowHandlers } from './api/now.ts'
import { type ConsoleResources, operationsHandlers } from './api/operations.ts'
import { personHandlers } from './api/person.ts'
import { processedHandlers } from './api/processed.ts'
import { recordHandlers } from './api/record.ts'
import { statisticsHandlers } from './api/statistics.ts'
import { stripHandlers } from './api/strip.ts'
import { systemHandlers } from './api/system.ts'
import { type Backend, readingWith } from './backend.ts'
import { type Handlers, ok } from './handler.ts'
import { pages } from './pages/index.ts'
import type { ConsoleRoute } from './routes.ts'

type SessionDeps = {
  readonly accounts: ReadonlyArray<Account>
  readonly traceUrlTemplate: string | undefined
  readonly timeZoneOf: (accountId: string) => string
}

const sessionHandlers = ({ accounts, traceUrlTemplate, timeZoneOf }: SessionDeps): Handlers<'GET /api/session'> => ({
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

/** The only list of the handlers of the API. What they need, and which routes they answer, follows from it. */
const apis = [
  sessionHandlers,
  stripHandlers,
  systemHandlers,
  operationsHandlers,
  nowHandlers,
  conversationsHandlers,
  conversationHandlers,
  liveHandlers,
  recordHandlers,
  statisticsHandlers,
  failedRepliesHandlers,
  deadLettersHandlers,
  processedHandlers,
  personHandlers,
] as const

type Together<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer All) => void ? All : never
type ApiDeps = Together<Parameters<(typeof apis)[number]>[0]>

export type HandlersDeps = Omit<Backend, 'timeZoneOf' | 'now' | 'monotonic' | 'sleep' | 'read'> &
  Pick<ApiDeps, 'mongoQuery' | 'operations'> &
  Pick<
    ConsoleResources,
    'redrives' | 'rebuilds' | 'restore' | 'retentionDays' | 'topicPrefix' | 'silentPersons' | 'archiveKeys'
  >

/** The handlers of all routes of the console's API. */
export const consoleHandlers = (deps: HandlersDeps): Handlers<ConsoleRoute> => {
  const { kafka } = deps
  const resources: ConsoleResources = deps
  const backend = {
    ...deps,
    timeZoneOf: timeZonesOf(deps.accounts),
    read: readingWith(deps.mongoQuery),
    now,
    sleep,
    monotonic,
  }
  const others: ApiDeps = {
    ...backend,
    resources,
    ranges: kafka.ranges,
    committedOffsets: kafka.committedOffsets,
    fetchRecord: kafka.fetchRecord,
    erasedAt: deps.erasures.erasedAt,
  }
  return Object.assign(
    {},
    ...apis.map((handlersOf: (given: ApiDeps) => object) => handlersOf(others)),
    ...pages.map((page) => page.handlers(backend)),
  )
}
