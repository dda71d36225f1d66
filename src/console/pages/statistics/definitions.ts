import * as t from 'io-ts'
import { type MetricDefinition, type MetricName, metrics } from '../../../../contracts/metrics.ts'
import { exactShape } from '../../../../contracts/primitives.ts'
import { DailyStatsDocument } from '../../../../contracts/views/daily-stats.ts'

/** The paths of a document at which there is a number. */
type NumberPath<D> = {
  [K in keyof D & string]: D[K] extends number ? K : D[K] extends object ? `${K}.${NumberPath<D[K]>}` : never
}[keyof D & string]

/** The counts of daily_stats, in addition to its figures, by their path in a document. */
const countDefinitions = {
  'sessions.agent.started': 'sessions with agents that began on the day',
  'sessions.agent.open': 'those of them that have not ended; no figure counts them',
  'sessions.bot.started': 'sessions with bots that began on the day and in which the client wrote',
  'sessions.bot.open': 'those of them that have not ended; no figure counts them',
  'chats.accepted': 'sessions that an agent accepted on the day, whenever the chat began',
  'chats.finished': 'sessions with agents that were finished on the day',
  'chats.ratedGood': 'those of them that were rated good, positive or like',
  'chats.ratedBad': 'those of them that were rated bad, negative or dislike',
  'calls.total': 'calls whose first event was on the day',
  'calls.byType.callback': 'those in which the service called back',
  'calls.byType.incoming': 'those in which the client called',
  'calls.byType.outgoing': 'those in which the agent called',
  'calls.byOutcome.ended': 'those that ended',
  'calls.byOutcome.failed': 'those that ended with an error',
  'calls.byOutcome.open': 'calls without an end or error event',
  offlineMessages: 'messages that came through the offline form on the day',
  'conversations.started': 'sessions with bots that began on the day and in which the client wrote, open ones included',
  'conversations.answeredByBotAlone': 'those in which the bot has answered and no agent was requested',
  'conversations.agentRequested': 'those in which an agent was requested or joined',
  'replies.delivered': 'bot replies that the service accepted on the day, hand-overs included',
  'replies.failed': 'bot replies that were given up on the day',
  'replies.suppressed': 'bot replies that came too late to be sent on the day',
} as const satisfies Readonly<Partial<Record<NumberPath<Omit<DailyStatsDocument, 'figures'>>, string>>>

const metricNames = Object.keys(metrics) as ReadonlyArray<MetricName>
const nullFor = <K extends string>(names: ReadonlyArray<K>) =>
  Object.fromEntries(names.map((name) => [name, null])) as Record<K, null>

export const MetricNames = t.keyof(nullFor(metricNames), 'MetricName')

type CountName = keyof typeof countDefinitions
const countNames = Object.keys(countDefinitions) as ReadonlyArray<CountName>

/** A number of the statistics, by its path in a document of daily_stats. */
export const FigureName = t.keyof(
  nullFor([...metricNames.map((name) => `figures.${name}` as const), ...countNames]),
  'FigureName',
)
export type FigureName = t.TypeOf<typeof FigureName>

export const FigureUnit = t.keyof({ share: null, ratio: null, duration: null, count: null }, 'FigureUnit')
export type FigureUnit = t.TypeOf<typeof FigureUnit>

/** The meaning of a number in the statistics. */
export const Definition = t.strict({ name: FigureName, definition: t.string, unit: FigureUnit })
export type Definition = t.TypeOf<typeof Definition>

const { _id, accountId, day, asOf, sessions, figures } = DailyStatsDocument.type.types[0].props
/** What sessions alone say of a day: it is not counted yet what else happened on it. */
export const DayOfSessions = exactShape({ _id, accountId, day, asOf, sessions, figures }, {}, 'DayOfSessions')
export type DayOfSessions = t.TypeOf<typeof DayOfSessions>

const words = { agent: 'Sessions with agents', bot: 'Sessions with bots' } as const

const metricText = ({ kind, unit, numerator, denominator, cohort }: MetricDefinition): string => {
  const by = unit === 'duration' ? 'on average over' : 'divided by'
  return `${words[kind]}${cohort === undefined ? '' : `, only ${cohort}`}: ${numerator}, ${by} ${denominator}`
}

/** What each number of the statistics means. A duration is in milliseconds: mean, median and 95th percentile. */
export const definitions: ReadonlyArray<Definition> = [
  ...metricNames.map((name) => ({
    name: `figures.${name}` as const,
    definition: metricText(metrics[name]),
    unit: metrics[name].unit,
  })),
  ...countNames.map((name) => ({
    name,
    definition: countDefinitions[name],
    unit: 'count' as const,
  })),
]
