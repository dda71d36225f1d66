import type * as t from 'io-ts'
import type { ConsoleRole } from '../bridge/domain/accounts.ts'
import {
  ConversationAnswer,
  ConversationsAnswer,
  FailedRepliesAnswer,
  LetterAnswer,
  LettersAnswer,
  MinutesAnswer,
  NamesAnswer,
  NowAnswer,
  OperationsAnswer,
  PersonAnswer,
  ProcessedAnswer,
  RecordAnswer,
  SessionAnswer,
  StatisticsAnswer,
  StripAnswer,
  SystemAnswer,
  UnmaskAnswer,
} from './answers.ts'
import type { Route as PageRoute } from './page.ts'
import { pages } from './pages/index.ts'
import { ErasureAnswer } from './pages/privacy/erasures.ts'
import { type PageName, pageOf } from './pages.ts'

/** A route of the console's API. Its key in the list below is its method and path. */
type Route = {
  /** The page that uses it: whoever may open the page may use the route, unless `roles` says otherwise. */
  readonly page: PageName
  readonly roles?: ReadonlyArray<ConsoleRole>
  /** The JSON of the answer, or the media type of a stream or file. */
  readonly answer: t.Mixed | 'application/x-ndjson' | 'text/event-stream' | 'text/csv' | 'a document'
}

const readers: ReadonlyArray<ConsoleRole> = ['lead', 'privacy']
const operators: ReadonlyArray<ConsoleRole> = ['operator']

/**
 * Every route. The only others are sign-in, sign-out and files. Routes other than GET need the session's CSRF token. A
 * session needs one of the route's roles for the account in the path; without an account in the path, for any account.
 */
const others = {
  'GET /api/session': { page: 'now', answer: SessionAnswer },
  'GET /api/system': { page: 'now', answer: SystemAnswer },
  'GET /api/accounts/:account/now': { page: 'now', answer: NowAnswer },
  'GET /api/accounts/:account/minutes': { page: 'now', answer: MinutesAnswer },
  'GET /api/accounts/:account/strip': { page: 'now', answer: StripAnswer },
  'GET /api/accounts/:account/conversations': { page: 'conversations', answer: ConversationsAnswer },
  'GET /api/accounts/:account/conversations.csv': { page: 'conversations', answer: 'text/csv' },
  'GET /api/accounts/:account/conversations/:chat': { page: 'conversations', answer: ConversationAnswer },
  'GET /api/accounts/:account/conversations/:chat/live': { page: 'conversations', answer: 'text/event-stream' },
  'POST /api/accounts/:account/conversations/:chat/unmask': {
    page: 'conversations',
    roles: readers,
    answer: UnmaskAnswer,
  },
  'POST /api/accounts/:account/record': { page: 'conversations', roles: readers, answer: RecordAnswer },
  'GET /api/accounts/:account/statistics': { page: 'statistics', answer: StatisticsAnswer },
  'GET /api/accounts/:account/statistics.csv': { page: 'statistics', answer: 'text/csv' },
  'GET /api/accounts/:account/statistics/failed-replies': { page: 'statistics', answer: FailedRepliesAnswer },
  'POST /api/accounts/:account/statistics/names': {
    page: 'statistics',
    roles: ['lead'],
    answer: NamesAnswer,
  },
  'GET /api/accounts/:account/dead-letters': { page: 'dead-letters', answer: LettersAnswer },
  'GET /api/accounts/:account/dead-letters/processed': {
    page: 'dead-letters',
    roles: operators,
    answer: ProcessedAnswer,
  },
  'POST /api/accounts/:account/dead-letters/show': {
    page: 'dead-letters',
    roles: operators,
    answer: LetterAnswer,
  },
  'GET /api/accounts/:account/quarantine': { page: 'quarantine', answer: LettersAnswer },
  'POST /api/accounts/:account/quarantine/show': { page: 'quarantine', roles: operators, answer: LetterAnswer },
  'GET /api/accounts/:account/operations': { page: 'system', answer: OperationsAnswer },
  'POST /api/accounts/:account/operations/run': {
    page: 'system',
    roles: ['operator', 'privacy'],
    answer: 'application/x-ndjson',
  },
  'POST /api/accounts/:account/person': { page: 'privacy', answer: PersonAnswer },
  'POST /api/accounts/:account/person/export': { page: 'privacy', answer: 'a document' },
  'POST /api/accounts/:account/person/erase': { page: 'privacy', answer: ErasureAnswer },
} as const satisfies Readonly<Record<string, Route>>

type Together<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer All) => void ? All : never
type RoutesOfPages = Together<(typeof pages)[number]['routes']>

export const routes: typeof others & RoutesOfPages = Object.assign({}, others, ...pages.map((page) => page.routes))

export type ConsoleRoute = keyof typeof routes

export const routeNames = Object.keys(routes) as ReadonlyArray<ConsoleRoute>

const rolesByRoute: ReadonlyMap<string, ReadonlyArray<ConsoleRole>> = new Map([
  ...Object.entries<Route>(others).map(([name, { page, roles }]) => [name, roles ?? pageOf(page).roles] as const),
  ...pages.flatMap((page) =>
    Object.entries<PageRoute>(page.routes).map(([name, { roles = page.roles }]) => [name, roles] as const),
  ),
])

export const rolesOf = (name: ConsoleRoute): ReadonlyArray<ConsoleRole> => rolesByRoute.get(name) ?? []
