import type { Because, DomainEvent } from '../../../contracts/events/index.ts'
import type { TopicName } from '../../../contracts/topics.ts'
import { driftKinds } from '../../../contracts/views/drift.ts'
import type { Role } from './roles.ts'

/** The metrics of the bridge as values. Labels are accounts, topics, kinds and outcomes, never a token or a person. */

/** One value of a metric. */
export type Sample = { readonly labels: Readonly<Record<string, string>>; readonly value: number }

export type Metric = {
  /** Without the prefix `livechat_`. */
  readonly name: string
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  /** What else operators should know, for the table of their guide. */
  readonly more?: string
  readonly labels: ReadonlyArray<string>
  /** Of a histogram: the upper bounds of its buckets. */
  readonly buckets?: ReadonlyArray<number>
  /** How the values of two processes become one. Default: their sum; a gauge that is read is one process's without it. */
  readonly aggregator?: 'min' | 'max' | 'first'
}

/** A change of a metric. `value` is added to a counter or histogram, and is the new value of a gauge. */
export type Update = Sample & { readonly metric: Metric; readonly isGone?: true }

type Details = Partial<Pick<Metric, 'more' | 'buckets' | 'aggregator'>>

const measured =
  <const Kind extends Metric['kind']>(kind: Kind) =>
  <const Label extends string = never>(
    name: string,
    help: string,
    labels: ReadonlyArray<Label> = [],
    details: Details = {},
  ): Metric & {
    readonly kind: Kind
    readonly of: (labels: Readonly<Record<Label, string>>, value?: number) => Update
  } => {
    const metric = { name, kind, help, labels, ...details }
    return { ...metric, of: (given, value = 1) => ({ metric, labels: given, value }) }
  }

const counter = measured('counter')
const gauge = measured('gauge')
const histogram = measured('histogram')

/** What the gauges that are read for each scrape are read from. Each source is connected where its part is created. */
export type Sources = {
  readonly build: { readonly version: string; readonly node: string }
  /** Those that the process runs. */
  readonly roles: ReadonlyArray<Role>
  /** By readiness check. */
  readonly checks: Readonly<Record<string, { readonly ok: boolean }>>
  readonly journal: {
    readonly records: number
    readonly bytes: number
    /** In ms since 1970, as `now`. */
    readonly oldestAt?: number
    readonly now: number
    readonly damaged: { readonly places: number }
    readonly orphans: { readonly journals: number; readonly records: number }
  }
  readonly journalDisk: { readonly freeBytes: number }
  readonly topics: ReadonlyArray<{ readonly name: string; readonly differences: ReadonlyArray<string> }>
  readonly gates: ReadonlyArray<{
    readonly account: string
    readonly isOpen: boolean
    readonly perSecond?: number | undefined
    /** Commands that it has seen and will read again. */
    readonly deferred?: number | undefined
  }>
  readonly waiting: { readonly accounts: ReadonlyArray<string>; readonly counts: ReadonlyMap<string, number> }
  readonly drift: {
    readonly accounts: ReadonlyArray<string>
    readonly counts: ReadonlyArray<{ readonly account: string; readonly kind: string; readonly entries: number }>
  }
  readonly statistics: { readonly ageSeconds: number }
  readonly erasuresWaiting: {
    readonly accounts: ReadonlyArray<string>
    readonly states: ReadonlyArray<{ readonly _id: string; readonly waiting?: { readonly persons: number } }>
  }
  readonly transcripts: ReadonlyArray<{ readonly account: string; readonly kind: string; readonly count: number }>
}

/** A gauge that is read for each scrape. While its source cannot be read it has no values: old ones may be wrong. */
export type ReadGauge = Metric & {
  readonly source: keyof Sources
  readonly read: (state: never) => ReadonlyArray<Sample>
}

const read =
  <const Source extends keyof Sources>(source: Source) =>
  (
    name: string,
    help: string,
    labels: ReadonlyArray<string>,
    samples: (state: Sources[Source]) => ReadonlyArray<Sample>,
    details: Details = {},
  ): ReadGauge => ({ name, kind: 'gauge', help, labels, source, read: samples, ...details })

const one = (value: number): ReadonlyArray<Sample> => [{ labels: {}, value }]
const ofJournal = (name: string, help: string, value: (state: Sources['journal']) => number) =>
  read('journal')(name, help, [], (state) => one(value(state)))

/** Every projector, or every archiver, shows the same number: the guide says below its table what to do. */
const useMax = ' (`max`)'
const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const untilMinutes = [...seconds, 30, 60, 300, 1_800]

/** Every metric of the bridge itself, in the order of the operator's guide. */
export const metrics = {
  checkOk: read('checks')(
    'check_ok',
    '1 if a check of `/readyz` is met, otherwise 0',
    ['check'],
    (checks) => Object.entries(checks).map(([check, { ok }]) => ({ labels: { check }, value: ok ? 1 : 0 })),
    { aggregator: 'min' },
  ),
  buildInfo: read('build')(
    'build_info',
    'always 1; the labels name the build and its Node.js',
    ['version', 'node'],
    (labels) => [{ labels, value: 1 }],
    { aggregator: 'first' },
  ),
  roleInfo: read('roles')(
    'role_info',
    'always 1, for each role that the process runs',
    ['role'],
    (roles) => roles.map((role) => ({ labels: { role }, value: 1 })),
    { aggregator: 'max', more: '; a role that cannot run, because a setting is missing, has none' },
  ),
  requests: histogram(
    'http_request_seconds',
    'requests of `webhooks`, `bot`, `oauth` and `history`, from arrival to answer',
    ['api', 'status'],
    { buckets: seconds },
  ),
  published: counter('events_published_total', 'events that ingress has made durable, in Kafka or the journal', [
    'type',
  ]),
  overdue: gauge(
    'retention_overdue_records',
    'records that are older than `RETENTION_DAYS` and not deleted',
    ['topic'],
    {
      more: ': no archiver or no projector runs, or Kafka does not allow the deletion',
    },
  ),
  erasuresWaiting: read('erasuresWaiting')(
    'erasures_waiting',
    'persons whom `privacy.retainDays` would erase, and who wait for an operator',
    ['account'],
    ({ accounts, states }) => {
      const stateOf = new Map(states.map((state) => [state._id, state]))
      return accounts.map((account) => ({ labels: { account }, value: stateOf.get(account)?.waiting?.persons ?? 0 }))
    },
    {
      more: `${useMax}: [what to do](runbook.md#persons-wait-to-be-erased)`,
    },
  ),
  misfits: counter(
    'misfit_events_total',
    'accepted events with known fields that did not fit: their values are in `extra`, and `drift` says where',
    ['api'],
  ),
  reusedIds: counter('reused_ids_total', 'bot events whose id came before with other content', ['account'], {
    more: ' (as far as this process remembers): topic and archive keep both, consumers ignore the second',
  }),
  quarantined: counter('quarantined_total', 'requests that became no event and are kept in `quarantine`', [
    'api',
    'reason',
  ]),
  driftEntries: read('drift')(
    'drift_entries',
    "entries of the view `drift`: places of the service's requests that the contracts do not know",
    ['account', 'kind'],
    ({ accounts, counts }) => [
      // They start at 0, so that the first entry is an increase.
      ...accounts.flatMap((account) =>
        Object.keys(driftKinds).map((kind) => ({ labels: { account, kind }, value: 0 })),
      ),
      ...counts.map(({ account, kind, entries }) => ({ labels: { account, kind }, value: entries })),
    ],
    { more: useMax },
  ),
  statsAge: read('statistics')(
    'stats_age_seconds',
    'for how long `daily_stats` and `daily_stats_by` have lacked a change of the views; 0 if they are up to date',
    [],
    ({ ageSeconds }) => one(ageSeconds),
    {
      more: useMax,
    },
  ),
  journalRecords: ofJournal('journal_records', 'events that wait in the journal', ({ records }) => records),
  journalBytes: ofJournal(
    'journal_bytes',
    'size of the journal on the disk; the cap is `JOURNAL_MAX_BYTES`',
    ({ bytes }) => bytes,
  ),
  journalDiskFree: read('journalDisk')(
    'journal_disk_free_bytes',
    "free space on the disk of `DATA_DIR` for the bridge's user",
    [],
    ({ freeBytes }) => one(freeBytes),
  ),
  journalOrphans: ofJournal(
    'journal_orphans',
    'journals without a process that are not drained yet',
    ({ orphans }) => orphans.journals,
  ),
  journalOrphanRecords: ofJournal(
    'journal_orphan_records',
    'events in journals without a process',
    ({ orphans }) => orphans.records,
  ),
  journalAge: ofJournal(
    'journal_age_seconds',
    'how long the oldest event of the journal has waited',
    ({ oldestAt, now }) => (oldestAt === undefined ? 0 : Math.max(0, now - oldestAt) / 1000),
  ),
  journalDamaged: ofJournal(
    'journal_damaged_places',
    'damaged places that were found and set aside since the start',
    ({ damaged }) => damaged.places,
  ),
  produceSeconds: histogram('produce_seconds', 'one send to Kafka, of one or many records', [], { buckets: seconds }),
  producedRecords: counter('produced_records_total', 'records that Kafka has acknowledged'),
  producedBytes: counter('produced_bytes_total', 'bytes of the records that Kafka has acknowledged'),
  produceFailures: counter('produce_failures_total', 'sends that failed and were repeated'),
  topicDifferences: read('topics')(
    'topic_differences',
    'settings of the topic that differ from those that the bridge creates; a missing topic counts as well',
    ['topic'],
    (topics) => topics.map(({ name, differences }) => ({ labels: { topic: name }, value: differences.length })),
    { aggregator: 'max' },
  ),
  consumedRecords: counter('consumed_records_total', 'records handled', ['group', 'topic']),
  lag: gauge('consumer_lag_records', 'records behind', ['group', 'topic', 'partition'], {
    more: ', of the partitions that this process reads; measured after each slice, and every 10 s',
  }),
  consumerRestarts: counter('consumer_restarts_total', 'consumers that were restarted', ['group']),
  projection: histogram('projection_seconds', 'folding and storing a batch', [], { buckets: seconds }),
  arrivalToView: histogram(
    'arrival_to_view_seconds',
    "from an event's arrival (`webhooks`, `bot`, or `egress` for outcomes) until the views have it",
    ['source'],
    {
      buckets: untilMinutes,
      more: '; it compares the clocks of two processes',
    },
  ),
  clientsWaiting: read('waiting')(
    'clients_waiting',
    'clients who wait for an answer of the bot now; messages of the last day only',
    ['account'],
    ({ accounts, counts }) => accounts.map((account) => ({ labels: { account }, value: counts.get(account) ?? 0 })),
    { more: useMax },
  ),
  transcriptDifferences: read('transcripts')(
    'transcript_differences',
    "differences between the service's transcripts and what the bridge saw, of chats that ended within 24 h",
    ['account', 'kind'],
    (differences) => differences.map(({ account, kind, count }) => ({ labels: { account, kind }, value: count })),
    { more: `${useMax}: [what to do](runbook-protocol.md#transcripts-differ)` },
  ),
  projectedRecords: counter('projected_records_total', 'records folded into views'),
  messageToReply: histogram(
    'message_to_reply_seconds',
    "from a client's message until the service has accepted the reply",
    ['account'],
    {
      buckets: untilMinutes,
      more: '. Only the first reply to a message counts, and none of the bridge itself',
    },
  ),
  deliveries: counter('deliveries_total', 'bot replies with a final outcome: delivered, failed, suppressed', [
    'account',
    'outcome',
  ]),
  ownCommands: counter(
    'own_commands_total',
    'commands that the bridge itself created for a client without an answer: `no-reply-in-time`, `delivery-failed`, `agent-unavailable`',
    ['account', 'because', 'outcome'],
  ),
  duplicateCommands: counter(
    'duplicate_commands_total',
    'commands that were not sent, because another command of their chat had the same id',
    ['account', 'content'],
    {
      more: '. `other` content is a mistake of the bot; `unknown`: the content of the first one is not stored any more',
    },
  ),
  goneCommands: counter(
    'gone_commands_total',
    'commands that were deleted from `bot-replies`, because they were too old, before they could be sent',
    ['account'],
    { more: '. Their clients get an agent' },
  ),
  breakerOpen: read('gates')(
    'breaker_open',
    "1 while the circuit breaker of the account's service is open, otherwise 0",
    ['account'],
    (gates) => gates.map(({ account, isOpen }) => ({ labels: { account }, value: isOpen ? 1 : 0 })),
  ),
  pace: read('gates')(
    'pace_per_second',
    'limit of attempts per second for the account after an outage or a 429; missing if there is no limit',
    ['account'],
    (gates) =>
      gates.flatMap(({ account, perSecond }) =>
        perSecond === undefined ? [] : [{ labels: { account }, value: perSecond }],
      ),
  ),
  deferredCommands: read('gates')(
    'deferred_commands',
    "commands of the account that a worker has seen and will read again when fewer of the account's commands are in progress",
    ['account'],
    (gates) => gates.map(({ account, deferred = 0 }) => ({ labels: { account }, value: deferred })),
    {
      more: '. More than 200,000 in one process pause partitions. Missing until something was sent for the account',
    },
  ),
  attempts: histogram(
    'delivery_attempt_seconds',
    "requests to the service; `result` is the status, or the network's error",
    ['account', 'result'],
    { buckets: seconds },
  ),
  deadLetters: counter('dead_letters_total', 'records that a consumer gave up and that are kept in `dead-letters`', [
    'consumer',
    'cause',
  ]),
}

/**
 * What the rooms measure, and which metrics each measurement changes. Durations are in seconds. The port `Measure` is
 * derived from this.
 */
const measurements = {
  request: (api: 'webhooks' | 'bot' | 'oauth' | 'history', status: number, took: number) => [
    metrics.requests.of({ api, status: String(status) }, took),
  ],
  published: (type: DomainEvent['type']) => [metrics.published.of({ type })],
  produced: (records: number, bytes: number, took: number) => [
    metrics.produceSeconds.of({}, took),
    metrics.producedRecords.of({}, records),
    metrics.producedBytes.of({}, bytes),
  ],
  produceFailed: () => [metrics.produceFailures.of({})],
  consumed: (group: string, topic: TopicName, partition: number, records: number, behind: number) => [
    metrics.consumedRecords.of({ group, topic }, records),
    metrics.lag.of({ group, topic, partition: String(partition) }, behind),
  ],
  /** This process no longer owns the partition. The next owner reports its lag. */
  partitionLeft: (group: string, topic: TopicName, partition: number) => [
    { ...metrics.lag.of({ group, topic, partition: String(partition) }), isGone: true as const },
  ],
  consumerRestarted: (group: string) => [metrics.consumerRestarts.of({ group })],
  projected: (records: number, took: number) => [
    metrics.projection.of({}, took),
    metrics.projectedRecords.of({}, records),
  ],
  /** An event is in the views, this long after the bridge received it. */
  viewed: (source: string, took: number) => [metrics.arrivalToView.of({ source }, took)],
  delivery: (account: string, outcome: 'delivered' | 'failed' | 'suppressed', because?: Because) => [
    metrics.deliveries.of({ account, outcome }),
    ...(because === undefined ? [] : [metrics.ownCommands.of({ account, because, outcome })]),
  ],
  attempt: (account: string, result: string, took: number) => [metrics.attempts.of({ account, result }, took)],
  /** The service accepted the bot's reply, this long after the bridge received the client's message. */
  answered: (account: string, took: number) => [metrics.messageToReply.of({ account }, took)],
  /** A command was not sent: its id was used before in its chat, with `other` or `unknown` content. */
  duplicateCommand: (account: string, content: 'other' | 'unknown') => [
    metrics.duplicateCommands.of({ account, content }),
  ],
  /** A command was deleted from bot-replies before it could be sent. */
  commandGone: (account: string) => [metrics.goneCommands.of({ account })],
  deadLetter: (consumer: string, cause: string) => [metrics.deadLetters.of({ consumer, cause })],
  /** Records of a topic that are too old, but kept until the archive and the views have processed them. */
  overdue: (topic: string, records: number) => [metrics.overdue.of({ topic }, records)],
  quarantined: (api: 'webhooks' | 'bot', reason: string) => [metrics.quarantined.of({ api, reason })],
  /** An event was accepted whose payload has known fields that did not fit. */
  misfit: (api: 'webhooks' | 'bot') => [metrics.misfits.of({ api })],
  /** An id of the service came again with other content. */
  idReused: (account: string) => [metrics.reusedIds.of({ account })],
} satisfies Readonly<Record<string, (...args: never) => ReadonlyArray<Update>>>

/**
 * Measurements, one function for each; labels are never personal data. A part takes the whole port, although it
 * calls a few of them: otherwise a new measurement would change the types of all parts above the one that measures.
 */
export type Measure = {
  readonly [M in keyof typeof measurements]: (...args: Parameters<(typeof measurements)[M]>) => void
}

/** The port of an adapter that gets each update. */
export const measuring = (update: (update: Update) => void): Measure =>
  Object.fromEntries(
    Object.entries(measurements).map(([name, updatesOf]) => [
      name,
      (...args: never[]) => {
        const updates: ReadonlyArray<Update> = (updatesOf as (...args: never[]) => ReadonlyArray<Update>)(...args)
        for (const each of updates) update(each)
      },
    ]),
  ) as Measure

/** The port of an adapter that measures nothing. */
export const unmeasured = measuring(() => {})
