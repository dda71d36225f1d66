/**
 * The definition of each figure in `daily_stats` and `daily_stats_by`. A `share` is between 0 and 1, a `ratio` may be
 * greater. For a `duration`, the numerator is the sum of all times in milliseconds and the denominator is their number,
 * so the quotient is the mean. The documents also have the median, the 95th percentile and a histogram. Histograms of
 * several days or groups can be added, and give the median of all of them.
 *
 * The figures of a day cover the sessions of one kind (contracts/views/session.ts) that began on that day, in the
 * account's time zone, and have ended by `asOf`. Open sessions are counted separately. Bot sessions without a message
 * of the client do not count.
 */
export type MetricDefinition = {
  readonly kind: 'agent' | 'bot'
  readonly unit: 'share' | 'ratio' | 'duration'
  readonly numerator: string
  readonly denominator: string
  /** Which of the ended sessions the figure covers, if not all. */
  readonly cohort?: string
}

/** An agent must join within this time for the service level: one minute, in milliseconds. */
export const serviceLevelMs = 60_000

/** A client who returns within this time undoes strict containment: 24 hours, in milliseconds. */
export const returnMs = 24 * 60 * 60 * 1000

/**
 * The upper bounds of a histogram's parts are 0 and these numbers times a power of ten, in milliseconds (the preferred
 * numbers E12). So a median that is read from a histogram is at most 26 % too high.
 */
export const histogramSteps = [1, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 3.9, 4.7, 5.6, 6.8, 8.2]

export const metrics = {
  containment: {
    kind: 'bot',
    unit: 'share',
    numerator: 'sessions that the bot answered and in which nobody requested an agent: outcome contained',
    denominator: 'sessions',
  },
  strictContainment: {
    kind: 'bot',
    unit: 'share',
    numerator:
      'contained sessions after whose last event, up to 24 h after their end, the same client began no other bot session',
    denominator: 'sessions',
    cohort: 'sessions that have been over for 24 h',
  },
  handOffRate: {
    kind: 'bot',
    unit: 'share',
    numerator: 'sessions in which an agent was requested or joined: outcome handed-over, unavailable or abandoned',
    denominator: 'sessions',
  },
  abandonment: {
    kind: 'bot',
    unit: 'share',
    numerator: 'sessions in which an agent was requested and none joined: outcome unavailable or abandoned',
    denominator: 'sessions in which an agent was requested or joined',
  },
  queueTime: {
    kind: 'bot',
    unit: 'duration',
    numerator: 'time from each invitation to the agent who joined',
    denominator: 'invitations after which an agent joined, if both times are known',
  },
  serviceLevel: {
    kind: 'bot',
    unit: 'share',
    numerator: 'invitations after which an agent joined within 60 s',
    denominator: 'invitations whose time is known',
  },
  firstResponseBot: {
    kind: 'bot',
    unit: 'duration',
    numerator:
      'time from the first message of the client to the first message of the bot, also one that only announces the answer',
    denominator: 'sessions in which the bot answered or announced an answer',
  },
  responseTimeBot: {
    kind: 'bot',
    unit: 'duration',
    numerator:
      'time from the first message without an answer to the answer of the bot, of each turn; a message that only announces the answer is none',
    denominator: 'answered turns',
  },
  botTurns: {
    kind: 'bot',
    unit: 'ratio',
    numerator: 'turns of the client that the bot answered',
    denominator: 'sessions',
  },
  interventions: {
    kind: 'bot',
    unit: 'share',
    numerator: 'sessions in which the bridge itself requested an agent, or informed the client that none is available',
    denominator: 'sessions',
  },
  firstResponseAgent: {
    kind: 'agent',
    unit: 'duration',
    numerator: 'time from the first message of the client to the first answer of an agent, by the log, to the second',
    denominator: 'sessions whose log has both',
  },
  responseTimeAgent: {
    kind: 'agent',
    unit: 'duration',
    numerator: 'time from the first message without an answer to the answer of an agent, of each turn',
    denominator: 'answered turns',
  },
  waitTime: {
    kind: 'agent',
    unit: 'duration',
    numerator: 'time from the first message of the client until an agent accepted the chat, by the log, to the second',
    denominator: 'sessions in whose log the client wrote before an agent accepted',
  },
  handleTime: {
    kind: 'agent',
    unit: 'duration',
    numerator: 'time from acceptance to finish',
    denominator: 'sessions whose acceptance is known',
  },
  csat: {
    kind: 'agent',
    unit: 'share',
    numerator: 'sessions rated good: good, positive or like',
    denominator: 'sessions rated good or bad: bad, negative or dislike; other words count in neither',
  },
  csatResponseRate: {
    kind: 'agent',
    unit: 'share',
    numerator: 'sessions with a rating, whatever its word',
    denominator: 'sessions',
  },
  reopenRate: {
    kind: 'agent',
    unit: 'share',
    numerator: 'sessions after which the same chat was opened again',
    denominator: 'sessions',
  },
  concurrency: {
    kind: 'agent',
    unit: 'ratio',
    numerator: 'time of all sessions of each agent who accepted them, from acceptance to finish',
    denominator: 'time in which that agent had at least one of them',
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>

export type MetricName = keyof typeof metrics
