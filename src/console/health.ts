import type { Health } from '../domain/ports.ts'

export type HealthState = 'works' | 'degraded' | 'down'

/** What users of the bridge notice while a part of it does not work. */
const effects: Readonly<Record<string, string>> = {
  kafka: 'Webhooks are kept on disk until Kafka answers. Bots receive and send nothing.',
  mongodb: 'Conversations, statistics and sign-in are not available.',
  'topics and indexes': 'The bridge is still preparing its topics and indexes.',
  projector: 'Conversations and statistics are out of date.',
  enrichments: 'Agents may see outdated details of visitors.',
  daily_stats: 'Statistics may use the wrong time zone.',
  egress: 'Replies of bots are not sent to clients.',
  outcomes: 'Whether replies arrived is recorded late.',
  archiver: 'Events are not archived. The topics keep them, so nothing is lost.',
  journal: 'Webhooks are kept on disk and reach Kafka later.',
  retention: 'Old records are kept for longer than configured.',
  console: 'The console does not run in this process.',
}

/** Parts without which clients, agents and bots are still served. */
const spared: ReadonlySet<string> = new Set([
  'archiver',
  'console',
  'daily_stats',
  'enrichments',
  'journal',
  'outcomes',
  'retention',
])

export const healthState = (name: string, { ok, isLimited }: Health): HealthState => {
  if (ok) return isLimited ? 'degraded' : 'works'
  return spared.has(name) ? 'degraded' : 'down'
}

/** What the state of a part means for users. */
export const healthWords = (name: string, state: HealthState): string =>
  state === 'works' ? 'In order.' : (effects[name] ?? 'A part of the bridge does not work as it should.')
