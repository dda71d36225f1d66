import type { Db } from 'mongodb'
import type { DeliveryDocument } from '../../../contracts/views/delivery.ts'
import type { Span } from '../domain/day.ts'
import { bounded, type Known, known, viewIn } from './source.ts'

/** Replies that failed for one reason, with the same last answer of the service. */
export type FailedReplies = Pick<DeliveryDocument, 'commandType'> & {
  readonly reason: string
  readonly by: 'bot' | 'bridge'
  readonly status?: number
  readonly code?: string
  readonly count: number
  readonly lastAt: Date
  /** Those whose replies failed last, the last first. */
  readonly chats: ReadonlyArray<string>
}

const maxChats = 5

/** The stages, exported for their test. An index has the failed replies in the order in which they were given up. */
export const failedRepliesStages = (accountId: string, { from, to }: Span, limit: number) => [
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
]

/** Why the newest failed replies of an account in a span of time failed: all groups, the largest first. */
export const failedRepliesIn =
  (db: Db) =>
  (accountId: string, span: Span, limit: number): Known<ReadonlyArray<FailedReplies>> =>
    known(
      viewIn(db, 'deliveries')
        .aggregate<FailedReplies>(failedRepliesStages(accountId, span, limit), bounded)
        .toArray(),
    )
