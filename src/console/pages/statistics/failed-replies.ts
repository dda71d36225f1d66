import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { BsonDate, Count, Day, exactShape } from '../../../../contracts/primitives.ts'
import { dayOf, type Span, spanOf } from '../../../bridge/domain/day.ts'
import type { Pipeline } from '../../../bridge/mongo/source.ts'
import type { Backend } from '../../backend.ts'
import { ok, part } from '../../page.ts'
import { readQuery } from '../../query.ts'
import { daysOf, oneAtATime } from './days.ts'

const FailedRepliesQuery = t.partial({ from: Day, to: Day }, 'FailedRepliesQuery')

/**
 * The replies that were given up from day `from` to day `to`, grouped by reason, the largest group first. Query: `from`,
 * `to`. `by`: whether the command was the bot's, or one that the bridge made itself. `status` and `code` are those of
 * the last answer of the service. `chats`: the five whose replies failed last. `others`: replies in groups that are not
 * in the answer. `cut`: there may be more replies, because only the newest were read.
 */
const FailedRepliesAnswer = exactShape(
  {
    from: t.string,
    to: t.string,
    count: Count,
    others: Count,
    cut: t.boolean,
    groups: t.array(
      t.intersection([
        t.strict({
          reason: t.string,
          by: t.keyof({ bot: null, bridge: null }),
          commandType: t.string,
          count: Count,
          lastAt: t.string,
          chats: t.array(t.string),
        }),
        t.partial({ status: Count, code: t.string }),
      ]),
    ),
  },
  {},
  'FailedRepliesAnswer',
)
export type FailedRepliesAnswer = t.TypeOf<typeof FailedRepliesAnswer>

/** Replies that failed for one reason, with the same last answer of the service. `chats`: the last to fail first. */
const Group = exactShape(
  {
    reason: t.string,
    by: t.keyof({ bot: null, bridge: null }),
    commandType: t.string,
    count: Count,
    lastAt: BsonDate,
    chats: t.array(t.string),
  },
  { status: Count, code: t.string },
  'Group',
)

const maxChats = 5
/** An outage may make very many replies fail. The newest tell why. */
export const maxFailed = 20_000
/** A service may send an error code of its own with every answer. Nobody reads more groups. */
const maxGroups = 50

/**
 * Why the newest failed replies of an account in a span of time failed: all groups, the largest first. An index has the
 * failed replies in the order in which they were given up.
 */
export const failedGroups = (
  accountId: string,
  { from, to }: Span,
  limit: number,
): Pipeline<t.TypeOf<typeof Group>> => ({
  view: 'deliveries',
  row: Group,
  stages: [
    { $match: { accountId, state: 'failed', finishedAt: { $gte: from, $lt: to } } },
    { $sort: { finishedAt: -1 } },
    { $limit: limit },
    // Status and code of one attempt: not every attempt has both.
    { $set: { last: { $last: '$attempts' } } },
    {
      $group: {
        _id: {
          of: {
            reason: { $ifNull: ['$reason', 'unknown'] },
            by: { $cond: [{ $gt: ['$because', null] }, 'bridge', 'bot'] },
            commandType: '$commandType',
            status: '$last.status',
            code: '$last.code',
          },
          chatId: '$chatId',
        },
        count: { $sum: 1 },
        lastAt: { $max: '$finishedAt' },
      },
    },
    { $sort: { lastAt: -1, '_id.chatId': 1 } },
    {
      $group: {
        _id: '$_id.of',
        count: { $sum: '$count' },
        lastAt: { $max: '$lastAt' },
        chats: { $push: '$_id.chatId' },
      },
    },
    { $sort: { count: -1, lastAt: -1, _id: 1 } },
    {
      $replaceWith: {
        $mergeObjects: ['$_id', { count: '$count', lastAt: '$lastAt', chats: { $slice: ['$chats', maxChats] } }],
      },
    },
  ],
})

/** Why replies failed. Reasons, status and error codes are not personal data. */
export const failedReplies = part({
  routes: { 'GET /api/accounts/:account/statistics/failed-replies': { answer: FailedRepliesAnswer } },
  handlers: ({ now, timeZoneOf, read }: Pick<Backend, 'now' | 'timeZoneOf' | 'read'>) => ({
    'GET /api/accounts/:account/statistics/failed-replies': oneAtATime()(async ({ accountId, query }) => {
      const asked = readQuery(FailedRepliesQuery, query)
      if (E.isLeft(asked)) return asked
      const timeZone = timeZoneOf(accountId)
      const days = daysOf(asked.right, dayOf(new Date(now()), timeZone))
      if (E.isLeft(days)) return days
      const { from, to } = days.right
      const span = { from: spanOf(from, timeZone).from, to: spanOf(to, timeZone).to }
      const found = await read(failedGroups(accountId, span, maxFailed + 1))
      if (E.isLeft(found)) return found
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
          chats,
        })),
      }
      return ok(answer)
    }),
  }),
})
