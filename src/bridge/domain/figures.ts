import { histogramSteps, returnMs, serviceLevelMs } from '../../../contracts/metrics.ts'
import type { Figure, Figures } from '../../../contracts/views/daily-stats.ts'
import type { SessionDocument } from '../../../contracts/views/session.ts'

export const measuredFields = [
  '_id',
  'kind',
  'clientId',
  'channelId',
  'agents',
  'startedAt',
  'lastEventAt',
  'acceptedAt',
  'endsAt',
  'nextStartedAt',
  'outcome',
  'rating',
  'clientMessages',
  'invitations',
  'firstResponseMs',
  'responseTimesMs',
  'waitMs',
  'handleMs',
  'turns',
  'interventions',
] as const satisfies ReadonlyArray<keyof SessionDocument>

/** The fields of a session that the figures need. */
export type Measured = Pick<SessionDocument, (typeof measuredFields)[number]>

/** True if the client came back within `returnMs` after the end of the session. */
export type CameBack = (session: Measured) => boolean

/** True if a session counts. A bot session in which the client never wrote does not count. */
export const counts = ({ kind, clientMessages }: Pick<Measured, 'kind' | 'clientMessages'>): boolean =>
  kind === 'agent' || clientMessages > 0

export const isOverAt = ({ endsAt }: Pick<Measured, 'endsAt'>, at: Date): boolean =>
  endsAt !== undefined && endsAt <= at

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)

const ratio = (numerator: number, denominator: number): Figure => ({
  numerator,
  denominator,
  ...(denominator > 0 && { value: numerator / denominator }),
})

/** The share of the items for which `is` is true. */
const share = <A>(all: ReadonlyArray<A>, is: (one: A) => boolean): Figure => ratio(all.filter(is).length, all.length)

/** The least bound of a histogram that is not less than a time in milliseconds. */
export const histogramBound = (ms: number): number => {
  if (ms === 0) return 0
  const power = 10 ** Math.floor(Math.log10(ms))
  const step = histogramSteps.find((each) => Math.round(each * power) >= ms) ?? 10
  return Math.round(step * power)
}

/** How many of the sorted times are in each part of the histogram. */
const histogram = (sorted: ReadonlyArray<number>) =>
  [...Map.groupBy(sorted, histogramBound)].map(([upToMs, times]) => ({ upToMs, count: times.length }))

/** Mean, median and 95th percentile by the nearest-rank method, and the histogram. */
const duration = (times: ReadonlyArray<number | undefined>): Figure => {
  const sorted = times.filter((ms) => ms !== undefined).sort((a, b) => a - b)
  const rank = (part: number) => sorted[Math.ceil(part * sorted.length) - 1]
  const [median, p95] = [rank(0.5), rank(0.95)]
  return {
    ...ratio(sum(sorted), sorted.length),
    ...(median !== undefined && { median }),
    ...(p95 !== undefined && { p95 }),
    ...(sorted.length > 0 && { histogram: histogram(sorted) }),
  }
}

const askedForAgent = ({ outcome }: Measured): boolean =>
  outcome === 'handed-over' || outcome === 'unavailable' || outcome === 'abandoned'

type Span = readonly [from: number, to: number]

/** The total time in which at least one of the spans lasts. */
const union = (spans: ReadonlyArray<Span>): number => {
  let [total, until] = [0, Number.NEGATIVE_INFINITY]
  for (const [from, to] of spans.toSorted(([a], [b]) => a - b)) {
    total += Math.max(0, to - Math.max(from, until))
    until = Math.max(until, to)
  }
  return total
}

/** How many sessions an agent has at once. A session lasts from the time at which its agent accepted it. */
const concurrency = (sessions: ReadonlyArray<Measured>, agentId: string | undefined): Figure => {
  const spans = sessions.flatMap(({ agents, endsAt }) =>
    agents.flatMap(({ id, acceptedAt }) =>
      endsAt === undefined || acceptedAt === undefined || (agentId !== undefined && id !== agentId)
        ? []
        : [{ id, span: [acceptedAt.getTime(), Math.max(acceptedAt.getTime(), endsAt.getTime())] as const }],
    ),
  )
  const busy = [...Map.groupBy(spans, ({ id }) => id).values()].map((own) => union(own.map(({ span }) => span)))
  return ratio(sum(spans.map(({ span: [from, to] }) => to - from)), sum(busy))
}

/**
 * The figures (contracts/metrics.ts) of the sessions that have ended at a time. For one agent's sessions, `agentId` is
 * the agent whose time counts for concurrency. Pure: equal sessions give equal figures.
 */
export const figuresOf = (
  sessions: ReadonlyArray<Measured>,
  asOf: Date,
  cameBack: CameBack,
  agentId?: string,
): Figures => {
  const over = sessions.filter((session) => counts(session) && isOverAt(session, asOf))
  const bot = over.filter(({ kind }) => kind === 'bot')
  const agent = over.filter(({ kind }) => kind === 'agent')
  const settled = bot.filter((session) => isOverAt(session, new Date(asOf.getTime() - returnMs)))
  const invitations = bot.flatMap((session) => session.invitations).filter(({ at }) => at !== undefined)
  const isContained = ({ outcome }: Measured) => outcome === 'contained'
  return {
    containment: share(bot, isContained),
    strictContainment: share(settled, (session) => isContained(session) && !cameBack(session)),
    handOffRate: share(bot, askedForAgent),
    abandonment: share(bot.filter(askedForAgent), ({ outcome }) => outcome !== 'handed-over'),
    queueTime: duration(invitations.map(({ queueMs }) => queueMs)),
    serviceLevel: share(invitations, ({ queueMs }) => queueMs !== undefined && queueMs <= serviceLevelMs),
    firstResponseBot: duration(bot.map(({ firstResponseMs }) => firstResponseMs)),
    responseTimeBot: duration(bot.flatMap(({ responseTimesMs }) => responseTimesMs)),
    botTurns: ratio(sum(bot.map(({ turns }) => turns)), bot.length),
    interventions: share(bot, ({ interventions = 0 }) => interventions > 0),
    firstResponseAgent: duration(agent.map(({ firstResponseMs }) => firstResponseMs)),
    responseTimeAgent: duration(agent.flatMap(({ responseTimesMs }) => responseTimesMs)),
    waitTime: duration(agent.map(({ waitMs }) => waitMs)),
    handleTime: duration(agent.map(({ handleMs }) => handleMs)),
    csat: share(
      agent.filter(({ rating }) => rating === 'good' || rating === 'bad'),
      ({ rating }) => rating === 'good',
    ),
    csatResponseRate: share(agent, ({ rating }) => rating !== undefined),
    reopenRate: share(agent, ({ nextStartedAt }) => nextStartedAt !== undefined),
    concurrency: concurrency(agent, agentId),
  }
}
