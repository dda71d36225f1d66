import { timeZonesOf } from '../bridge/domain/accounts.ts'
import { now } from '../bridge/domain/clock.ts'
import type { Query } from '../bridge/mongo/connect.ts'
import { monotonic, sleep } from '../bridge/shared/time.ts'
import { type Backend, readingFitting, readingWith } from './backend.ts'
import { head } from './head.ts'
import { pages } from './pages/index.ts'
import type { ConsoleHandlers } from './routes.ts'

export type HandlersDeps = Omit<Backend, 'timeZoneOf' | 'now' | 'monotonic' | 'sleep' | 'read' | 'readFitting'> & {
  readonly mongoQuery: Query
}

/** The handlers of all routes of the console's API. */
export const handlersWith = (backend: Backend): ConsoleHandlers =>
  Object.assign(head.handlers(backend), ...pages.map((page) => page.handlers(backend)))

/** The same with the clock and the queries of this process. */
export const consoleHandlers = ({ mongoQuery, ...given }: HandlersDeps): ConsoleHandlers =>
  handlersWith({
    ...given,
    timeZoneOf: timeZonesOf(given.accounts),
    read: readingWith(mongoQuery),
    readFitting: readingFitting(mongoQuery),
    now,
    sleep,
    monotonic,
  })
