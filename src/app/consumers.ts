import { botConversations, botReplies, enrichments, eventTopics, type TopicName } from '../../contracts/topics.ts'
import { archiverGroup } from '../archive/archiver.ts'
import type { Account } from '../domain/accounts.ts'
import { now } from '../domain/clock.ts'
import { viewsGroup } from '../domain/consumer-groups.ts'
import { erasedEnrichments, erasedFinder } from '../domain/erased.ts'
import { logMarks } from '../domain/log-marks.ts'
import type { CheckHealth, IssueToken, Log, Measure, Sleep } from '../domain/ports.ts'
import { postToService } from '../egress/delivery/post.ts'
import { type Egress, egress } from '../egress/egress.ts'
import type { EgressPorts } from '../egress/ports.ts'
import type { EnrichedKeys } from '../ingress/enriched-keys.ts'
import type { Supervised } from '../kafka/consumer/consume.ts'
import type { KafkaPorts } from '../kafka/kafka.ts'
import { isReadBy } from '../kafka/offsets.ts'
import { decodeRecord, fromCommand, fromRecord } from '../kafka/records.ts'
import { classify } from '../mongo/classify.ts'
import type { Mongo } from '../mongo/connect.ts'
import { catchUpRecords, hasRoom } from '../shared/heap.ts'
import { monotonic, sleep } from '../shared/time.ts'
import { withDeadline } from '../shared/timeout.ts'
import { enrichmentHandler } from '../views/enrichment-handler.ts'
import { topicsOf, viewNames } from '../views/index.ts'
import { projector } from '../views/projector.ts'
import type { Settings } from './config.ts'
import { markersOf } from './missed-erasures.ts'

type Deps = {
  readonly kafka: KafkaPorts
  readonly mongo: Mongo
  readonly accounts: ReadonlyArray<Account>
  readonly issueToken: IssueToken
  readonly retentionDays: Settings['retentionDays']
  readonly measure: Measure
  readonly log: Log
}

/** The consumer group that stores the enrichments. */
const enrichmentsGroup = 'enrichments'

/** The consumer groups of all roles, with the topics on which each commits offsets. */
export const consumerGroups: ReadonlyArray<{ readonly group: string; readonly topics: ReadonlyArray<TopicName> }> = [
  { group: viewsGroup, topics: topicsOf(viewNames) },
  { group: enrichmentsGroup, topics: [enrichments.name] },
  { group: 'egress', topics: [botReplies.name] },
  { group: archiverGroup, topics: eventTopics.map(({ name }) => name) },
]

/** A running part of the process, with its health checks and its stop function. */
export type Part = {
  readonly checks: Readonly<Record<string, CheckHealth>>
  /** The state of the gate between each account and its service. */
  readonly gates?: Egress['gates']
  readonly stop: () => Promise<void>
}

/** Days in an account's former time zone need a rebuild. They do not make the process unready. */
const daysOf =
  (accounts: ReadonlyArray<Account>, { timeZonesChanged }: Pick<Mongo, 'timeZonesChanged'>): CheckHealth =>
  async () => {
    const changed = await timeZonesChanged(accounts).catch(() => [])
    if (changed.length === 0) return { ok: true, reason: 'its days have the time zones of the accounts' }
    const others = `some days of ${changed.join(', ')} are of another time zone`
    return { ok: true, reason: `${others}: restart every bridge, then run livechat-bridge rebuild daily_stats` }
  }

/** Updates the views, the enrichments, the statistics and the audits of transcripts. */
export const startProjector = async ({ kafka, mongo, accounts, retentionDays, measure, log }: Deps): Promise<Part> => {
  const missed = markersOf({ kafka, mongo }, { retentionDays })
  const marks = logMarks({ ...mongo.topicsRead, compareLog: kafka.compareLog })
  const fold = projector({
    decode: decodeRecord,
    applyChanges: mongo.applyChanges,
    findErased: erasedFinder({ ...mongo.erasures, clock: monotonic }),
    classify,
    deadLetter: kafka.deadLetter(viewsGroup),
    measure,
    hasRoom,
    clock: monotonic,
    wallMs: Date.now,
  })
  const views = await kafka.consume({
    group: viewsGroup,
    topics: topicsOf(viewNames),
    commit: 'when-handled',
    refuseTopics: async (ids) => {
      const others = await mongo.viewVersions.others()
      if (others.length > 0) {
        const asked = others.length === 1 ? others[0] : 'all'
        return `${others.join(', ')}: made by another version of the bridge: run livechat-bridge rebuild ${asked}`
      }
      const changed = await mongo.topicsRead.changed('views', ids)
      if (changed.length === 0) {
        const refusal = await marks.refusal(ids)
        if (refusal !== undefined) return refusal
        await missed.apply()
        // Not earlier: documents of another version of the bridge cannot be counted.
        mongo.statsRefresher.start()
        mongo.transcriptAudits.start(isReadBy(kafka)(viewsGroup, botConversations.name))
        return undefined
      }
      const topics = changed.join(', ')
      return `${topics}: deleted and created again, or TOPIC_PREFIX was changed: views have offsets of the other topic: run livechat-bridge rebuild all`
    },
    fetchWaitsFor: { bytes: 64 * 1024, ms: 250 },
    catchUpRecords: catchUpRecords(),
    handle: async (slice, owned) => {
      await marks.before(slice.records)
      return fold(slice, owned)
    },
  })
  const enriching = await kafka.consume({
    group: enrichmentsGroup,
    topics: [enrichments.name],
    commit: 'when-handled',
    refuseTopics: async (ids) => {
      const changed = await mongo.topicsRead.changed('enrichments', ids)
      if (changed.length > 0) await mongo.topicsRead.acceptEnrichments(ids)
      return undefined
    },
    handle: enrichmentHandler({
      storeEnrichments: mongo.storeEnrichments,
      deadLetter: kafka.deadLetter('enrichments'),
      accountIds: new Set(accounts.map(({ id }) => id)),
      findErased: erasedEnrichments(mongo.erasures),
    }),
  })
  log.info({}, 'the projector runs')
  return {
    checks: {
      projector: views.health,
      enrichments: enriching.health,
      daily_stats: daysOf(accounts, mongo),
    },
    stop: async () => {
      await Promise.all([views.stop(), enriching.stop()])
      await Promise.all([mongo.statsRefresher.stop(), mongo.transcriptAudits.stop()])
    },
  }
}

const viewsWithinMs = 2_000

/**
 * Where the views end in each partition of bot-conversations. The places in their documents mean nothing in this log if
 * they are of another topic of that name, or if Kafka was restored from an older copy. While MongoDB does not answer,
 * no document is read either.
 */
const viewsEndOf =
  ({ kafka, mongo }: Pick<Deps, 'kafka' | 'mongo'>): EgressPorts['viewsEnd'] =>
  async () => {
    const { name } = botConversations
    const [committed, ids] = await Promise.all([kafka.committedOffsets(viewsGroup, name), kafka.topicIds([name])])
    const known = await withDeadline(sleep, viewsWithinMs, () =>
      Promise.all([mongo.topicsRead.idInViews(name), mongo.topicsRead.marks(name)]).catch(() => undefined),
    )
    const [id, marks] = known?.value ?? []
    const isOther = id !== undefined && ids.get(name) !== undefined && id !== ids.get(name)
    const verdicts = await kafka.compareLog(name, marks ?? new Map())
    return (partition) =>
      isOther || verdicts.get(partition)?.kind === 'other'
        ? { offset: 0, isOfThisLog: false }
        : { offset: committed.get(partition) ?? 0, isOfThisLog: true }
  }

/** Posts bot replies to the service. */
export const startEgress = async (deps: Deps): Promise<Part> => {
  const { kafka, mongo, accounts, issueToken, measure, log } = deps
  const worker = egress({
    accounts,
    issueToken,
    measure,
    log,
    now,
    sleep,
    monotonic,
    readDocument: mongo.readDocument,
    openTurns: mongo.waitingConversations,
    publish: kafka.publish,
    deadLetter: kafka.deadLetter('egress'),
    reroute: kafka.reroute,
    decodeCommand: fromCommand,
    decodeEvent: fromRecord,
    fetchCommands: (partition, offset) => kafka.fetchFrom(botReplies.name, partition, offset),
    endOffsets: kafka.endOffsets,
    viewsEnd: viewsEndOf({ kafka, mongo }),
    post: postToService,
    random: Math.random,
  })
  const consumer = await kafka.consume(worker.spec)
  log.info({}, 'egress runs')
  return {
    checks: { egress: consumer.health, outcomes: worker.health },
    gates: worker.gates,
    stop: async () => {
      await worker.stop()
      await consumer.stop()
    },
  }
}

type FollowDeps = {
  readonly kafka: Pick<KafkaPorts, 'committedOffsets' | 'consume' | 'ranges'>
  readonly mongo: Pick<Mongo, 'enrichedKeys'>
  readonly filter: EnrichedKeys
  readonly log: Log
  readonly sleep: Sleep
}

const topic = enrichments.name
const lookEveryMs = 250
const againAfterMs = 1_000

/**
 * Fills the filter with the keys that have an enrichment, so that ingress queries MongoDB for these visitors only. It
 * adds the keys of the view, then those of the topic from the offsets that were committed before it read the view. The
 * filter is complete once the consumer has read the topic to its end, while the consumer is healthy.
 */
export const followEnrichedKeys = ({ kafka, mongo, filter, log, sleep }: FollowDeps): Part => {
  const stopping = new AbortController()
  const { signal } = stopping
  let consumer: Supervised | undefined

  /** Adds all keys of the view to the filter. Resolves with the offsets from which the topic must be read. */
  const addView = async () => {
    const [committed, ranges] = await Promise.all([
      kafka.committedOffsets(enrichmentsGroup, topic),
      kafka.ranges(topic),
    ])
    for await (const key of mongo.enrichedKeys()) {
      if (signal.aborted) break
      filter.add(key)
    }
    // An offset beyond the end was committed for a deleted topic of the same name.
    return new Map([...committed].filter(([partition, offset]) => offset <= (ranges.get(partition)?.high ?? 0)))
  }
  const viewAdded = async () => {
    for (;;) {
      try {
        return await addView()
      } catch (error) {
        if (signal.aborted) return new Map<number, number>()
        log.debug({ reason: classify(error).reason }, 'the keys with enrichments could not be read yet')
        await sleep(againAfterMs, signal)
      }
    }
  }
  const follow = (positions: Map<number, number>) => {
    return kafka.consume({
      group: 'enriched-keys',
      alone: true,
      topics: [topic],
      commit: 'by-handler',
      fetchWaitsFor: { bytes: 1, ms: 250 },
      startAt: async (_, partition) => positions.get(partition),
      handle: async ({ partition, records }) => {
        for (const { key, value, offset } of records) {
          if (key !== null && value !== null) filter.add(key.toString())
          positions.set(partition, offset + 1)
        }
      },
    })
  }
  const isAtEnd = async ({ waiting }: Supervised) => {
    const ranges = await kafka.ranges(topic)
    const positions = new Map(waiting().map(({ partition, position }) => [partition, position]))
    return [...ranges].every(([partition, { high }]) => (positions.get(partition) ?? -1) >= high)
  }
  const run = async () => {
    const positions = await viewAdded()
    if (signal.aborted) return
    consumer = await follow(positions)
    for (let complete = false; !signal.aborted; await sleep(lookEveryMs, signal)) {
      const { ok } = await consumer.health()
      complete = ok && (complete || (await isAtEnd(consumer).catch(() => false)))
      filter.setComplete(complete && !signal.aborted)
    }
  }
  run()
  return {
    // No check: requests work without the filter, and the metrics count restarts of this consumer too.
    checks: {},
    stop: async () => {
      stopping.abort()
      // Requests are still served after this, but no consumer updates the filter.
      filter.setComplete(false)
      await consumer?.stop()
    },
  }
}
