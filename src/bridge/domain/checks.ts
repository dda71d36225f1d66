import type { Role } from './roles.ts'

/**
 * A dependency's state for /readyz. `reason` says what is wrong, or what is known to work. `isLimited`: the check
 * passes, so that the process gets requests, but something does not work, and `reason` says what. `isOff`: the part does
 * not run at all.
 */
export type Health = {
  readonly ok: boolean
  readonly reason: string
  readonly isLimited?: true
  readonly isOff?: true
}

export type CheckHealth = () => Health | Promise<Health>

type Check = {
  /** The roles that have the check. */
  readonly of: ReadonlyArray<Role> | 'all'
  /** When it fails, for the operator's guide, after "is not met while". */
  readonly unmet: string
  /** What users of the bridge notice while it fails or is limited. */
  readonly effect: string
  /** What an operator does first then, after "First:". */
  readonly first: string
  /** Clients, agents and bots are served without it. */
  readonly isOptional?: true
  /** The process is not ready before its role runs. */
  readonly failsUntilStarted?: true
  /**
   * While one of these servers does not answer, a check that passes only says what was true before, and one that fails
   * fails for that reason.
   */
  readonly needs?: ReadonlyArray<'kafka' | 'mongodb'>
  /** When it fails, users notice more than the absence of a server that it needs. */
  readonly outranksItsServers?: true
}

const retries = 'look at its reason. It retries by itself; if that does not help within minutes, restart its process'

/** The checks of `/readyz`, by their names. */
const checks = {
  kafka: {
    of: 'all',
    unmet:
      'no broker answers within 2 s, or a record has waited for a send for 5 s (with the role ingress alone it is met, but `isLimited`)',
    effect: 'Webhooks are kept on disk. Bots receive and send nothing. Conversations and statistics are out of date.',
    first: 'check that the brokers run and that this host reaches them. The bridge then continues by itself',
  },
  mongodb: {
    of: 'all',
    unmet: 'the primary does not answer (with the role ingress alone it is met, but `isLimited`)',
    effect: 'Conversations, statistics and sign-in are not available.',
    first: 'check that MongoDB has a primary and that this host reaches it. The bridge then continues by itself',
  },
  'topics and indexes': {
    of: 'all',
    unmet:
      'they are not created yet, or a topic is missing and cannot be created (with the role ingress alone it is met, but `isLimited`). The reason names how topics differ',
    effect: 'The bridge is still preparing its topics and indexes.',
    first: 'look into the log. The Kafka user may not create topics, or an index conflicts with one of the bridge',
    needs: ['kafka', 'mongodb'],
  },
  journal: {
    of: ['ingress'],
    unmet:
      'Kafka is unavailable and the journal is full (it has reached its cap, or its disk is full), or in the last minute Kafka refused for good what `quarantine` should keep. Limited while Kafka refuses records of another topic for good',
    effect:
      'Webhooks are kept on disk or in quarantine, and reach their topics later. They are refused once the journal is full.',
    first:
      'correct a topic that its reason names. While Kafka accepts no records, repair that: the journal then empties by itself. The runbook says what to do about a full disk or damage; keep every .segment file',
    needs: ['kafka'],
    outranksItsServers: true,
  },
  projector: {
    of: ['projector'],
    unmet: 'its consumer has no partitions, its handler has failed for 5 s, or the broker denies reading a topic',
    effect: 'Conversations and statistics are out of date.',
    first: retries,
    needs: ['kafka', 'mongodb'],
    failsUntilStarted: true,
  },
  enrichments: {
    of: ['projector'],
    unmet: 'the same as `projector`',
    effect: 'Agents may see outdated details of visitors.',
    first: retries,
    needs: ['kafka', 'mongodb'],
    isOptional: true,
    failsUntilStarted: true,
  },
  daily_stats: {
    of: ['projector'],
    unmet: 'never; the reason names accounts whose `daily_stats` were computed with another time zone',
    effect: 'Statistics may use the wrong time zone.',
    first: 'restart every bridge, then run livechat-bridge rebuild daily_stats',
    needs: ['mongodb'],
    isOptional: true,
    failsUntilStarted: true,
  },
  egress: {
    of: ['egress'],
    unmet: 'the same as `projector`',
    effect: 'Replies of bots are not sent to clients.',
    first: retries,
    needs: ['kafka', 'mongodb'],
    failsUntilStarted: true,
  },
  outcomes: {
    of: ['egress'],
    unmet: 'the outcomes of replies cannot be published',
    effect: 'Whether replies arrived is recorded late.',
    first: 'check that the brokers run and that the Kafka user may write to bot-conversations',
    needs: ['kafka'],
    isOptional: true,
    failsUntilStarted: true,
  },
  archiver: {
    of: ['archiver'],
    unmet: 'the same as `projector`, or the key file lacks a key',
    effect: 'Events are not archived. The topics keep them, so nothing is lost.',
    first: 'give it the key file or the key that its reason names. If it names neither, wait: it retries by itself',
    needs: ['kafka', 'mongodb'],
    isOptional: true,
    failsUntilStarted: true,
  },
  retention: {
    of: ['projector', 'archiver'],
    unmet: 'never; the reason says how many records are older than `RETENTION_DAYS` and not deleted yet, and why',
    effect: 'Old records are kept for longer than configured.',
    first: 'check that the archiver works: only what is archived is deleted. Then look at the reason',
    needs: ['kafka', 'mongodb'],
    isOptional: true,
  },
  'privacy.retainDays': {
    of: ['archiver'],
    unmet: 'never; the reason says why persons without recent events cannot be erased. Only if an account sets it',
    effect: 'Persons without recent events are erased later than configured.',
    first: 'check that Kafka and MongoDB answer and that the clocks of all hosts agree. It tries again by itself',
    needs: ['kafka', 'mongodb'],
    isOptional: true,
  },
  console: {
    of: ['console'],
    unmet: 'never; it is there only if the console cannot run, and the reason says why',
    effect: 'The console does not run in this process.',
    first: 'correct the setting that its reason names, then start it again',
    isOptional: true,
  },
  front: {
    of: ['projector', 'archiver', 'console'],
    unmet: 'of the two processes of `npm start`, the one with ingress and egress does not answer',
    effect: 'Webhooks are not accepted. Replies of bots are not sent to clients.',
    first: 'look at the last lines of its log, which say why it ended. Then start the bridge again',
  },
  back: {
    of: ['ingress', 'egress'],
    unmet: 'of the two processes of `npm start`, the one with projector, archiver and console does not answer',
    effect: 'Conversations and statistics are out of date. The console does not run.',
    first: 'wait a minute: it is started again by itself. Otherwise the last lines of its log say why',
  },
  bridge: {
    of: 'all',
    unmet: 'the process is stopping; it has no other check then',
    effect: 'The bridge is stopping.',
    first: 'if nobody has stopped it, start it again',
  },
} as const satisfies Readonly<Record<string, Check>>

export type CheckName = keyof typeof checks

/** The checks as a list, each with its name. */
export const allChecks: ReadonlyArray<Check & { readonly name: CheckName }> = Object.entries(checks).map(
  ([name, check]) => ({ ...check, name: name as CheckName }),
)

/** A check by its name. */
export const checkNamed = (name: string): Check | undefined =>
  Object.hasOwn(checks, name) ? checks[name as CheckName] : undefined
