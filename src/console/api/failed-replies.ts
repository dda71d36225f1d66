import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { Day } from '../../../contracts/primitives.ts'
import type { Now } from '../../bridge/domain/clock.ts'
import { dayOf, spanOf } from '../../bridge/domain/day.ts'
import type { Query } from '../../bridge/mongo/connect.ts'
import { failedRepliesIn } from '../../bridge/mongo/console-failed-replies.ts'
import type { FailedRepliesAnswer } from '../answers.ts'
import { type Handlers, ok, unavailable } from '../handler.ts'
import { readQuery } from '../query.ts'
import { daysOf, oneAtATime } from './statistics.ts'

type FailedRepliesDeps = {
  readonly now: Now
  readonly timeZoneOf: (accountId: string) => string
  readonly mongoQuery: Query
}

const FailedRepliesQuery = t.partial({ from: Day, to: Day }, 'FailedRepliesQuery')

/** An outage may make very many replies fail. The newest tell why. */
export const maxFailed = 20_000
/** A service may send an error code of its own with every answer. Nobody reads more groups. */
const maxGroups = 50

/** Why replies failed. Reasons, status and error codes are not personal data. */
export const failedRepliesHandlers = ({
  now,
  timeZoneOf,
  mongoQuery,
}: FailedRepliesDeps): Handlers<'GET /api/accounts/:account/statistics/failed-replies'> => ({
  'GET /api/accounts/:account/statistics/failed-replies':
    oneAtATime()<'GET /api/accounts/:account/statistics/failed-replies'>(async ({ accountId, query }) => {
      const asked = readQuery(FailedRepliesQuery, query)
      if (E.isLeft(asked)) return asked
      const timeZone = timeZoneOf(accountId)
      const days = daysOf(asked.right, dayOf(new Date(now()), timeZone))
      if (E.isLeft(days)) return days
      const { from, to } = days.right
      const span = { from: spanOf(from, timeZone).from, to: spanOf(to, timeZone).to }
      const found = await mongoQuery(failedRepliesIn)(accountId, span, maxFailed + 1)
      if (E.isLeft(found)) return E.left(unavailable(found.left.reason))
      const countOf = (groups: typeof found.right) => groups.reduce((sum, { count }) => sum + count, 0)
      const count = countOf(found.right)
      const answer: FailedRepliesAnswer = {
        from,
        to,
        count: Math.min(count, maxFailed),
        others: countOf(found.right.slice(maxGroups)),
        cut: count > maxFailed,
        groups: found.right.slice(0, maxGroups).map(({ lastAt, chats, ...group }) => ({
          ...group,
          lastAt: lastAt.toISOString(),
          chats: [...chats],
        })),
      }
      return ok(answer)
    }),
})
