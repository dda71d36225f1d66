import { type MetricDefinition, metrics } from '../../contracts/metrics.ts'
import type { StatisticsAnswer } from './answers.ts'

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
} as const

const words = { agent: 'Sessions with agents', bot: 'Sessions with bots' } as const

const metricText = ({ kind, unit, numerator, denominator, cohort }: MetricDefinition): string => {
  const by = unit === 'duration' ? 'on average over' : 'divided by'
  return `${words[kind]}${cohort === undefined ? '' : `, only ${cohort}`}: ${numerator}, ${by} ${denominator}`
}

/** What each number of the statistics means. A duration is in milliseconds: mean, median and 95th percentile. */
export const definitions: StatisticsAnswer['definitions'] = [
  ...Object.entries(metrics).map(([name, metric]) => ({
    name: `figures.${name}`,
    definition: metricText(metric),
    unit: metric.unit,
  })),
  ...Object.entries(countDefinitions).map(([name, definition]) => ({ name, definition, unit: 'count' })),
]
