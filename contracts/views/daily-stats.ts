import * as t from 'io-ts'
import { AccountId, Count, Day, exactShape } from '../primitives.ts'

/** Durations in milliseconds, by the nearest-rank method; absent where nothing was measured. */
export const Durations = exactShape({ count: Count }, { median: Count, p95: Count }, 'Durations')

/**
 * A day (UTC) of an account, computed from the documents of the other views. What is counted belongs to the day on
 * which it happened: chats to `acceptedAt`, their rate and times to `finishedAt`, calls to their first event, offline
 * messages to `receivedAt`, conversations in which a client has written to `startedAt`, replies (hand-overs included)
 * to `finishedAt`. `ratedGood` are the rates good, positive and like, `ratedBad` bad, negative and dislike; other
 * rates count in neither. Calls: `ended` after end, `failed` after error. `shareAnsweredByBotAlone` is of those
 * started, 0 where there are none. `version` is new with each computation, and says nothing about the day.
 */
export const DailyStatsDocument = t.strict(
  {
    _id: t.string,
    accountId: AccountId,
    day: Day,
    chats: t.strict({
      accepted: Count,
      finished: Count,
      ratedGood: Count,
      ratedBad: Count,
      firstResponseMs: Durations,
      totalMs: Durations,
    }),
    calls: t.strict({
      total: Count,
      byType: t.strict({ callback: Count, incoming: Count, outgoing: Count }),
      byOutcome: t.strict({ ended: Count, failed: Count, open: Count }),
    }),
    offlineMessages: Count,
    conversations: t.strict({
      started: Count,
      answeredByBotAlone: Count,
      handedToAgent: Count,
      shareAnsweredByBotAlone: t.number,
      replyMs: Durations,
    }),
    replies: t.strict({ delivered: Count, failed: Count, suppressed: Count }),
    version: t.string,
  },
  'DailyStatsDocument',
)
export type DailyStatsDocument = t.TypeOf<typeof DailyStatsDocument>
