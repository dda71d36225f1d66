import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'
import { driftKinds } from '../../contracts/views/drift.ts'
import type { Health, Measure } from '../domain/ports.ts'
import type { Egress } from '../egress/egress.ts'
import { version } from './version.ts'

type JournalState = {
  readonly records: number
  readonly bytes: number
  readonly oldestAt?: number
  readonly damaged: { readonly places: number }
  readonly orphans: { readonly journals: number; readonly records: number }
}
type Differences = { readonly account: string; readonly kind: string; readonly count: number }
/** The current health of each readiness check. */
type AskHealth = () => Promise<Readonly<Record<string, Health>>>

/** The metrics of a process as values, for another process that shows the metrics of both. */
export type MetricValues = ReadonlyArray<MetricObjectWithValues<MetricValue<string>>>

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const untilMinutes = [...seconds, 30, 60, 300, 1_800]

/** Prometheus metrics. Labels are accounts, topics, kinds and outcomes, never a token or a person. */
export const createMetrics = () => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Counter({ name: `livechat_${name}`, help, labelNames, registers })
  const gauge = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Gauge({ name: `livechat_${name}`, help, labelNames, registers })
  const histogram = <L extends string>(name: string, help: string, labelNames: L[], buckets = seconds) =>
    new Histogram({ name: `livechat_${name}`, help, labelNames, buckets, registers })

  const requests = histogram('http_request_seconds', 'Requests by interface and status', ['api', 'status'])
  const events = counter('events_published_total', 'Events acknowledged by Kafka, by type', ['type'])
  const produce = histogram('produce_seconds', 'Time of one send to Kafka', [])
  const produced = counter('produced_records_total', 'Records acknowledged by Kafka', [])
  const producedBytes = counter('produced_bytes_total', 'Bytes of the records acknowledged by Kafka', [])
  const produceFailures = counter('produce_failures_total', 'Sends that were rejected and repeated', [])
  const consumed = counter('consumed_records_total', 'Records handled, by group and topic', ['group', 'topic'])
  const lag = gauge('consumer_lag_records', 'Records that a group has not handled yet', ['group', 'topic', 'partition'])
  const restarts = counter('consumer_restarts_total', 'Consumers that were restarted', ['group'])
  const projection = histogram('projection_seconds', 'Time to fold and store a batch', [])
  const viewed = histogram(
    'arrival_to_view_seconds',
    'Time from the receipt of an event to the update of its views',
    ['source'],
    untilMinutes,
  )
  const projected = counter('projected_records_total', 'Records folded into views', [])
  const deliveries = counter('deliveries_total', 'Bot replies by account and outcome', ['account', 'outcome'])
  const attempts = histogram('delivery_attempt_seconds', 'Requests to the service by account and result', [
    'account',
    'result',
  ])
  const answered = histogram(
    'message_to_reply_seconds',
    'Time from the receipt of a client’s message to the reply that the service accepted',
    ['account'],
    untilMinutes,
  )
  const duplicates = counter('duplicate_commands_total', 'Commands with an id that another command had', [
    'account',
    'content',
  ])
  const goneCommands = counter('gone_commands_total', 'Commands that were deleted before they could be sent', [
    'account',
  ])
  const ownCommands = counter('own_commands_total', 'Commands of the bridge itself, by their reason', [
    'account',
    'because',
    'outcome',
  ])
  const deadLetters = counter('dead_letters_total', 'Records that could not be processed', ['consumer', 'cause'])
  const overdue = gauge('retention_overdue_records', 'Records older than RETENTION_DAYS that are not deleted', [
    'topic',
  ])
  const misfits = counter('misfit_events_total', 'Accepted events with known fields that did not fit', ['api'])
  const reusedIds = counter('reused_ids_total', 'Bot events whose id came before with other content', ['account'])
  const quarantined = counter('quarantined_total', 'Requests that could not be understood', ['api', 'reason'])

  const reading = (name: string, help: string, read: () => number | Promise<number>) =>
    new Gauge({
      name: `livechat_${name}`,
      help,
      registers,
      async collect() {
        this.set(await read())
      },
    })
  new Gauge({
    name: 'livechat_build_info',
    help: 'Always 1; the labels identify the build',
    labelNames: ['version', 'node'],
    aggregator: 'first',
    registers,
  }).set({ version, node: process.versions.node }, 1)
  const watchJournal = (state: () => JournalState, freeBytes: () => Promise<number>) => {
    reading('journal_records', 'Records that wait in the journal', () => state().records)
    reading('journal_bytes', 'Bytes of the journal', () => state().bytes)
    reading('journal_disk_free_bytes', "Free bytes of the journal's disk", freeBytes)
    reading('journal_damaged_places', 'Damaged places of the journal, set aside', () => state().damaged.places)
    reading('journal_orphans', 'Journals without a process that are not drained', () => state().orphans.journals)
    reading('journal_orphan_records', 'Records in journals without a process', () => state().orphans.records)
    reading('journal_age_seconds', 'Age of the oldest record in the journal', () => {
      const { oldestAt } = state()
      return oldestAt === undefined ? 0 : Math.max(0, Date.now() - oldestAt) / 1000
    })
  }

  const watchGates = (gates: Egress['gates']) => {
    type Gate = ReturnType<typeof gates>[number]
    const each = (name: string, help: string, value: (gate: Gate) => number | undefined) =>
      new Gauge({
        name: `livechat_${name}`,
        help,
        labelNames: ['account'],
        registers,
        collect() {
          this.reset()
          for (const gate of gates()) {
            const read = value(gate)
            if (read !== undefined) this.set({ account: gate.account }, read)
          }
        },
      })
    each('breaker_open', "Whether the breaker of an account's service is open: 1 or 0", (gate) => (gate.isOpen ? 1 : 0))
    each(
      'deferred_commands',
      'Commands that wait in bot-replies until their account has room',
      (gate) => gate.deferred ?? 0,
    )
    each('pace_per_second', 'Limit of attempts per second of an account after failures', (gate) => gate.perSecond)
  }
  const watchHealth = (ask: AskHealth) =>
    new Gauge({
      name: 'livechat_check_ok',
      help: 'Whether a readiness check is met: 1 or 0',
      labelNames: ['check'],
      aggregator: 'min',
      registers,
      async collect() {
        this.reset()
        for (const [check, { ok }] of Object.entries(await ask())) this.set({ check }, ok ? 1 : 0)
      },
    })

  const measure: Measure = {
    request: (api, status, took) => requests.observe({ api, status: String(status) }, took),
    published: (type) => events.inc({ type }),
    produced: (records, bytes, took) => {
      produce.observe(took)
      produced.inc(records)
      producedBytes.inc(bytes)
    },
    produceFailed: () => produceFailures.inc(),
    consumed: (group, topic, partition, records, behind) => {
      consumed.inc({ group, topic }, records)
      lag.set({ group, topic, partition: String(partition) }, behind)
    },
    partitionLeft: (group, topic, partition) => lag.remove({ group, topic, partition: String(partition) }),
    consumerRestarted: (group) => restarts.inc({ group }),
    projected: (records, took) => {
      projection.observe(took)
      projected.inc(records)
    },
    viewed: (source, took) => viewed.observe({ source }, took),
    delivery: (account, outcome, because) => {
      deliveries.inc({ account, outcome })
      if (because !== undefined) ownCommands.inc({ account, because, outcome })
    },
    attempt: (account, result, took) => attempts.observe({ account, result }, took),
    answered: (account, took) => answered.observe({ account }, took),
    duplicateCommand: (account, content) => duplicates.inc({ account, content }),
    commandGone: (account) => goneCommands.inc({ account }),
    deadLetter: (consumer, cause) => deadLetters.inc({ consumer, cause }),
    overdue: (topic, records) => overdue.set({ topic }, records),
    misfit: (api) => misfits.inc({ api }),
    idReused: (account) => reusedIds.inc({ account }),
    quarantined: (api, reason) => quarantined.inc({ api, reason }),
  }
  type Topic = { readonly name: string; readonly differences: ReadonlyArray<string> }
  const watchTopics = (topics: () => ReadonlyArray<Topic>) =>
    new Gauge({
      name: 'livechat_topic_differences',
      help: 'Differences of a topic from what the bridge creates',
      labelNames: ['topic'],
      aggregator: 'max',
      registers,
      collect() {
        this.reset()
        for (const { name, differences } of topics()) this.set({ topic: name }, differences.length)
      },
    })
  /** While MongoDB does not respond, the metric has no values: old values may be wrong. */
  const watchWaiting = (accounts: ReadonlyArray<string>, count: () => Promise<ReadonlyMap<string, number>>) =>
    new Gauge({
      name: 'livechat_clients_waiting',
      help: 'Clients who wait for an answer of the bot, by the views',
      labelNames: ['account'],
      registers,
      async collect() {
        this.reset()
        const counts = await count().catch(() => undefined)
        for (const account of accounts) if (counts) this.set({ account }, counts.get(account) ?? 0)
      },
    })
  type DriftCount = { readonly account: string; readonly kind: string; readonly entries: number }
  /** No values without MongoDB either. Otherwise counts start at 0, so that the first entry is an increase. */
  const watchDrift = (accounts: ReadonlyArray<string>, count: () => Promise<ReadonlyArray<DriftCount>>) =>
    new Gauge({
      name: 'livechat_drift_entries',
      help: 'Places of requests that the contracts do not know, by the view drift',
      labelNames: ['account', 'kind'],
      registers,
      async collect() {
        this.reset()
        const counts = await count().catch(() => undefined)
        if (counts === undefined) return
        for (const account of accounts) for (const kind of Object.keys(driftKinds)) this.set({ account, kind }, 0)
        for (const { account, kind, entries } of counts) this.set({ account, kind }, entries)
      },
    })
  const watchTranscripts = (count: () => Promise<ReadonlyArray<Differences>>) =>
    new Gauge({
      name: 'livechat_transcript_differences',
      help: 'Differences between transcripts and what the bridge saw, of sessions that ended within a day',
      labelNames: ['account', 'kind'],
      registers,
      async collect() {
        this.reset()
        for (const { account, kind, count: differences } of await count().catch(() => []))
          this.set({ account, kind }, differences)
      },
    })
  /** No value without MongoDB. */
  const watchStats = (age: () => Promise<number>) =>
    new Gauge({
      name: 'livechat_stats_age_seconds',
      help: 'For how long daily_stats and daily_stats_by have lacked a change of the views',
      registers,
      async collect() {
        const seconds = await age().catch(() => undefined)
        if (seconds === undefined) this.remove()
        else this.set(seconds)
      },
    })
  type Waiting = { readonly _id: string; readonly waiting?: { readonly persons: number } }
  /** No values without MongoDB. */
  const watchErasuresWaiting = (accounts: ReadonlyArray<string>, states: () => Promise<ReadonlyArray<Waiting>>) =>
    new Gauge({
      name: 'livechat_erasures_waiting',
      help: 'Persons whom privacy.retainDays would erase, and who wait for an operator',
      labelNames: ['account'],
      registers,
      async collect() {
        this.reset()
        const found = await states().catch(() => undefined)
        if (found === undefined) return
        for (const account of accounts)
          this.set({ account }, found.find(({ _id }) => _id === account)?.waiting?.persons ?? 0)
      },
    })
  const watches = {
    watchErasuresWaiting,
    watchJournal,
    watchGates,
    watchHealth,
    watchTopics,
    watchWaiting,
    watchDrift,
    watchTranscripts,
    watchStats,
  }
  const values = (): Promise<MetricValues> => registry.getMetricsAsJSON()
  /** In Prometheus' text format, together with the values of another process. */
  const renderWith = async (others: () => Promise<MetricValues | undefined>) => {
    const [own, other] = await Promise.all([values(), others()])
    if (other === undefined) return registry.metrics()
    return AggregatorRegistry.aggregate([[...own], [...other]]).metrics()
  }
  return { measure, ...watches, values, renderWith, render: () => registry.metrics() }
}
