import * as t from 'io-ts'
import type { MetricName } from '../metrics.ts'
import { Code, impersonal, Text } from '../personal.ts'
import { AccountId, BsonDate, Count, Day, exactShape, Id } from '../primitives.ts'
import type { ViewContract } from './contract.ts'

/** A figure with its numerator and denominator, so that several days or groups can be added before the division. */
export const Figure = exactShape(
  {
    /** What is counted, or the sum of times in milliseconds. */
    numerator: Count,
    /** The number that the numerator is divided by. */
    denominator: Count,
  },
  {
    /** The numerator divided by the denominator. Absent if the denominator is 0. */
    value: impersonal(t.number),
    /** For times: the median, in milliseconds. */
    median: Count,
    /** For times: the 95th percentile, in milliseconds, by the nearest-rank method. */
    p95: Count,
    /**
     * For times: how many there are up to each bound, and above the bound before. Parts without a time are left out.
     */
    histogram: t.array(
      t.strict(
        {
          /** The greatest time of this part, in milliseconds. */
          upToMs: Count,
          /** How many times there are. */
          count: Count,
        },
        'HistogramPart',
      ),
    ),
  },
  'Figure',
)
export type Figure = t.TypeOf<typeof Figure>

/** Each figure by its name. contracts/metrics.ts defines them. */
export const Figures = t.strict(
  {
    /** The share of bot sessions that the bot answered and in which nobody asked for an agent. */
    containment: Figure,
    /** The share of contained bot sessions without a return within 24 h, of those that ended at least 24 h ago. */
    strictContainment: Figure,
    /** The share of bot sessions in which an agent was requested or joined. */
    handOffRate: Figure,
    /** The share of bot sessions that no agent joined, of those in which an agent was requested or joined. */
    abandonment: Figure,
    /** The time from the invitation until the agent joined. */
    queueTime: Figure,
    /** The share of invitations after which an agent joined within 60 s. */
    serviceLevel: Figure,
    /** The time from the first message to the first answer of the bot. */
    firstResponseBot: Figure,
    /** The time from a message to the answer of the bot, for each turn. */
    responseTimeBot: Figure,
    /** The number of turns that the bot answered, for each bot session. */
    botTurns: Figure,
    /** The share of bot sessions in which the bridge itself acted. */
    interventions: Figure,
    /** The time from the first message of the log to the first answer of an agent. */
    firstResponseAgent: Figure,
    /** The time from a message of the log to the answer of an agent, for each turn. */
    responseTimeAgent: Figure,
    /** The time from the first message of the log until an agent accepted the chat. */
    waitTime: Figure,
    /** The time from acceptance to finish. */
    handleTime: Figure,
    /** The share of agent sessions rated good, of those rated good or bad. */
    csat: Figure,
    /** The share of agent sessions with a rating. */
    csatResponseRate: Figure,
    /** The share of agent sessions after which the chat was opened again. */
    reopenRate: Figure,
    /** How many sessions an agent had at the same time, while there was at least one. */
    concurrency: Figure,
  } satisfies Record<MetricName, typeof Figure>,
  'Figures',
)
export type Figures = t.TypeOf<typeof Figures>

const Sessions = t.strict({
  /** How many sessions began on the day, without bot sessions that have no message of the client. */
  started: Count,
  /** How many of those are open at `asOf`. No figure includes them. */
  open: Count,
})

const measured = {
  /** The customer account of the service, by its id in the accounts file. */
  accountId: AccountId,

  /** The day, in the account's time zone. */
  day: Day,

  /** The time of the server when the documents were read. */
  asOf: BsonDate,

  /** Sessions that began on the day. */
  sessions: t.strict({
    /** Sessions with agents. */
    agent: Sessions,
    /** Sessions with bots in which the client wrote. */
    bot: Sessions,
  }),

  /** The figures of the sessions that have ended. contracts/metrics.ts defines them. */
  figures: Figures,
}

/**
 * A day of an account in the account's time zone: the figures of the sessions that began on it, and counts of what
 * happened on it. The bridge computes it again until `nextAt` is absent. Then all of its sessions ended at least 24 h
 * ago. Calls: `ended` after end, `failed` after error. `ratedGood` counts the rates good, positive and like, `ratedBad`
 * counts bad, negative and dislike.
 */
export const DailyStatsDocument = exactShape(
  {
    /** `<account id>/<day>`. */
    _id: Code,
    ...measured,

    /** What happened in chats with agents on the day, also in chats that began earlier. */
    chats: t.strict({
      /** How many sessions an agent accepted. */
      accepted: Count,

      /** How many sessions were finished. */
      finished: Count,

      /** How many of those were rated good, positive or like. */
      ratedGood: Count,

      /** How many of those were rated bad, negative or dislike. */
      ratedBad: Count,
    }),

    /** Calls, by the day of their first event. */
    calls: t.strict({
      /** How many calls there were. */
      total: Count,

      /** How many calls of each type. */
      byType: t.strict({
        /** The service called back. */
        callback: Count,
        /** The client called. */
        incoming: Count,
        /** The agent called. */
        outgoing: Count,
      }),

      /** How many calls of each outcome. */
      byOutcome: t.strict({
        /** Calls that ended. */
        ended: Count,
        /** Calls that ended with an error. */
        failed: Count,
        /** Calls without a reported end or error. */
        open: Count,
      }),
    }),

    /** How many messages came through the offline form. */
    offlineMessages: Count,

    /** Bot sessions with a message of the client that began on the day, including open ones. */
    conversations: t.strict({
      /** How many sessions began. */
      started: Count,

      /** In how many the bot answered and no agent was requested. */
      answeredByBotAlone: Count,

      /** In how many an agent was requested or joined. */
      agentRequested: Count,
    }),

    /** Bot replies by the day of their outcome, including hand-overs. */
    replies: t.strict({
      /** How many the service accepted. */
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

export const dailyStats = {
  name: 'daily_stats',
  version: 2,
  document: DailyStatsDocument,
} as const satisfies ViewContract

/**
 * The same figures for the sessions of one agent, widget or bot. A session counts for each agent who took part, so the
 * sum of all agents may be more than the day's. Widgets are those of agent sessions and the channels of bot sessions;
 * `unknown` if the service does not name them. The protocol names no bot, so the bot of an account has the id
 * `unknown`.
 */
export const DailyStatsByDocument = exactShape(
  {
    /** `<account id>/<day>/<agent, widget or bot>/<id>`. */
    _id: Code,
    ...measured,

    /** What the figures are grouped by. */
    by: t.keyof({ agent: null, widget: null, bot: null }),

    /** The id of the agent, of the widget or channel, or of the bot. */
    id: Id,
  },
  {
    /** The agent's name. */
    name: Text,
  },
  'DailyStatsByDocument',
)
export type DailyStatsByDocument = t.TypeOf<typeof DailyStatsByDocument>

export const dailyStatsBy = {
  name: 'daily_stats_by',
  version: 2,
  document: DailyStatsByDocument,
} as const satisfies ViewContract
