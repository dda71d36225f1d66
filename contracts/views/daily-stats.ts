import * as t from 'io-ts'
import { AccountId, Count, Day, exactShape } from '../primitives.ts'

/** Durations in milliseconds, by the nearest-rank method; absent where nothing was measured. */
export const Durations = exactShape(
  {
    /** How many were measured. */
    count: Count,
  },
  {
    /** Half of them took no longer, in milliseconds. */
    median: Count,
    /** 95 of 100 took no longer, in milliseconds. */
    p95: Count,
  },
  'Durations',
)

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
    /** `<account id>/<day>`. */
    _id: t.string,

    /** The customer account of the service, by its id in the accounts file. */
    accountId: AccountId,

    /** The day, in UTC. */
    day: Day,

    /** Chats with agents. */
    chats: t.strict({
      /** How many an agent accepted. */
      accepted: Count,

      /** How many were finished. */
      finished: Count,

      /** How many of those were rated good, positive or like. */
      ratedGood: Count,

      /** How many of those were rated bad, negative or dislike. */
      ratedBad: Count,

      /** From the visitor's first message to the agent's first answer. */
      firstResponseMs: Durations,

      /** From acceptance to finish. */
      totalMs: Durations,
    }),

    /** Calls, by the day of their first event. */
    calls: t.strict({
      /** How many there were. */
      total: Count,

      /** How many of each type. */
      byType: t.strict({
        /** The service called back. */
        callback: Count,
        /** The client called. */
        incoming: Count,
        /** The agent called. */
        outgoing: Count,
      }),

      /** How many have come to what. */
      byOutcome: t.strict({
        /** They ended. */
        ended: Count,
        /** They ended with an error. */
        failed: Count,
        /** Neither was told. */
        open: Count,
      }),
    }),

    /** How many messages came through the offline form. */
    offlineMessages: Count,

    /** Conversations with bots. */
    conversations: t.strict({
      /** How many began. */
      started: Count,

      /** In how many the bot answered and no agent was asked for. */
      answeredByBotAlone: Count,

      /** In how many an agent was asked for or joined. */
      handedToAgent: Count,

      /** answeredByBotAlone of started, from 0 to 1. */
      shareAnsweredByBotAlone: t.number,

      /** From a client's message to the reply. */
      replyMs: Durations,
    }),

    /** Bot replies, hand-overs included. */
    replies: t.strict({
      /** How many the service took. */
      delivered: Count,
      /** How many were given up. */
      failed: Count,
      /** How many came too late to be sent. */
      suppressed: Count,
    }),

    /** New with each computation; says nothing about the day. */
    version: t.string,
  },
  'DailyStatsDocument',
)
export type DailyStatsDocument = t.TypeOf<typeof DailyStatsDocument>
