import * as t from 'io-ts'
import type { MetricName } from '../metrics.ts'
import { Code, impersonal, Text } from '../personal.ts'
import { AccountId, BsonDate, Count, Day, exactShape, Id } from '../primitives.ts'

/** A figure with what it was made from, so that figures of several days or groups can be added before they are divided. */
export const Figure = exactShape(
  {
    /** What is counted, or the sum of times in milliseconds. */
    numerator: Count,
    /** Of how many. */
    denominator: Count,
  },
  {
    /** The one by the other; absent where the denominator is 0. */
    value: impersonal(t.number),
    /** Of times: half of them took no longer, in milliseconds. */
    median: Count,
    /** Of times: 95 of 100 took no longer, in milliseconds, by the nearest-rank method. */
    p95: Count,
  },
  'Figure',
)
export type Figure = t.TypeOf<typeof Figure>

/** Each figure by its name; contracts/metrics.ts says of what each is made. */
export const Figures = t.strict(
  {
    /** Bot sessions that the bot answered and in which nobody asked for an agent, of all. */
    containment: Figure,
    /** Contained bot sessions without a return of the client within 24 h, of those that have been over for 24 h. */
    strictContainment: Figure,
    /** Bot sessions in which an agent was asked for or joined, of all. */
    handOffRate: Figure,
    /** Bot sessions without an agent who joined, of those in which one was asked for. */
    abandonment: Figure,
    /** From the invitation to the agent who joined. */
    queueTime: Figure,
    /** Invitations after which an agent joined within 60 s, of all. */
    serviceLevel: Figure,
    /** From the first message to the first answer of the bot. */
    firstResponseBot: Figure,
    /** From a message to the answer of the bot, of each turn. */
    responseTimeBot: Figure,
    /** Turns that the bot answered, of each bot session. */
    botTurns: Figure,
    /** Bot sessions in which the bridge itself acted, of all. */
    interventions: Figure,
    /** From the first message of the log to the first answer of an agent. */
    firstResponseAgent: Figure,
    /** From a message of the log to the answer of an agent, of each turn. */
    responseTimeAgent: Figure,
    /** From acceptance to finish. */
    handleTime: Figure,
    /** Agent sessions rated good, of those rated good or bad. */
    csat: Figure,
    /** Agent sessions with a rating, of all. */
    csatResponseRate: Figure,
    /** Agent sessions after which the chat was opened again, of all. */
    reopenRate: Figure,
    /** How many sessions an agent had at once, while there was at least one. */
    concurrency: Figure,
  } satisfies Record<MetricName, typeof Figure>,
  'Figures',
)
export type Figures = t.TypeOf<typeof Figures>

const Sessions = t.strict({
  /** How many began on the day, bot sessions without a message of the client left out. */
  started: Count,
  /** How many of those are open at `asOf`, and in no figure. */
  open: Count,
})

const measured = {
  /** The customer account of the service, by its id in the accounts file. */
  accountId: AccountId,

  /** The day, in the account's time zone. */
  day: Day,

  /** The server's time at which the documents were read. */
  asOf: BsonDate,

  /** Sessions that began on the day. */
  sessions: t.strict({
    /** With agents. */
    agent: Sessions,
    /** With bots: those in which the client wrote. */
    bot: Sessions,
  }),

  /** The figures of those that are over; contracts/metrics.ts defines each. */
  figures: Figures,
}

/**
 * A day of an account in the account's time zone: the figures of the sessions that began on it, and counts of what happened on
 * it. Computed anew until `nextAt` is absent: then all of its sessions have been over for 24 h. Calls: `ended` after end, `failed`
 * after error. `ratedGood` are the rates good, positive and like, `ratedBad` bad, negative and dislike.
 */
export const DailyStatsDocument = exactShape(
  {
    /** `<account id>/<day>`. */
    _id: Code,
    ...measured,

    /** What happened in chats with agents on the day, whenever they began. */
    chats: t.strict({
      /** How many sessions an agent accepted. */
      accepted: Count,

      /** How many were finished. */
      finished: Count,

      /** How many of those were rated good, positive or like. */
      ratedGood: Count,

      /** How many of those were rated bad, negative or dislike. */
      ratedBad: Count,
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

    /** Bot sessions with a message of the client that began on the day, open ones included. */
    conversations: t.strict({
      /** How many began. */
      started: Count,

      /** In how many the bot has answered and no agent was asked for. */
      answeredByBotAlone: Count,

      /** In how many an agent was asked for or joined. */
      handedToAgent: Count,
    }),

    /** Bot replies by the day of their outcome, hand-overs included. */
    replies: t.strict({
      /** How many the service took. */
      delivered: Count,
      /** How many were given up. */
      failed: Count,
      /** How many came too late to be sent. */
      suppressed: Count,
    }),
  },
  {
    /** When it is computed again at the latest. */
    nextAt: BsonDate,
  },
  'DailyStatsDocument',
)
export type DailyStatsDocument = t.TypeOf<typeof DailyStatsDocument>

/**
 * The same figures of the sessions of one agent, widget or bot. A session counts for each agent who took part in it, so that the
 * sum of all agents may be more than the day's. Widgets are those of agent sessions and the channels of bot sessions, `unknown`
 * where the service does not name them. The protocol names no bot: the one of an account has the id `unknown`.
 */
export const DailyStatsByDocument = exactShape(
  {
    /** `<account id>/<day>/<agent, widget or bot>/<id>`. */
    _id: Code,
    ...measured,

    /** By whom. */
    by: t.keyof({ agent: null, widget: null, bot: null }),

    /** The agent, the widget or channel, or the bot. */
    id: Id,
  },
  {
    /** The agent's name. */
    name: Text,
  },
  'DailyStatsByDocument',
)
export type DailyStatsByDocument = t.TypeOf<typeof DailyStatsByDocument>
