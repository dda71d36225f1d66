import { botConversations, enrichments, isEventTopic } from '../../../contracts/topics.ts'
import type { CheckHealth } from '../../bridge/domain/checks.ts'
import { enrichmentsGroup, viewsGroup } from '../../bridge/domain/consumer-groups.ts'
import type { ConsumerSpec } from '../../bridge/domain/log/consumer.ts'
import { logMarks } from '../../bridge/domain/log/positions.ts'
import { erasedEnrichments, erasedFinder } from '../../bridge/domain/person/erased.ts'
import { longestWaitMs } from '../../bridge/egress/watchdog/escalations.ts'
import { isReadBy } from '../../bridge/kafka/offsets.ts'
import { decodeRecord } from '../../bridge/kafka/records.ts'
import { classify } from '../../bridge/mongo/classify.ts'
import type { Mongo } from '../../bridge/mongo/connect.ts'
import { catchUpRecords, hasRoom } from '../../bridge/shared/heap.ts'
import { dayMs, monotonic } from '../../bridge/shared/time.ts'
import { enrichmentHandler } from '../../bridge/views/enrichment-handler.ts'
import { topicsOfViews, viewNames } from '../../bridge/views/index.ts'
import { positionsInMongo } from '../../bridge/views/positions.ts'
import { projector } from '../../bridge/views/projector.ts'
import type { Settings } from '../config.ts'
import { type Part, type Ports, scrapeWithinMs } from '../ports.ts'

/** The gauges that are read from the views. */
export const watchViews = ({ settings, mongo, metrics }: Pick<Ports, 'settings' | 'mongo' | 'metrics'>): void => {
  const { accounts } = settings
  const accountIds = accounts.map(({ id }) => id)
  const withBots = accounts.flatMap(({ id, bot }) => (bot ? [id] : []))
  const before = (ms: number) => new Date(Date.now() - ms)
  metrics.watch('waiting', async () => ({
    accounts: withBots,
    counts: await mongo.countWaiting(withBots, before(longestWaitMs), scrapeWithinMs),
  }))
  metrics.watch('drift', async () => ({
    accounts: accountIds,
    counts: await mongo.countDrift(accountIds, scrapeWithinMs),
  }))
  metrics.watch('statistics', async () => ({ ageSeconds: await mongo.ageOfStats(new Date(), scrapeWithinMs) }))
  metrics.watch('transcripts', () => mongo.countTranscriptDifferences(withBots, before(dayMs), scrapeWithinMs))
}

/** Only a rebuild by a process with other settings changes time zones that are right. */
const zonesAgainMs = 60_000
const namedAccounts = 5

/** Days in an account's former time zone need a rebuild. They do not make the process unready. */
export const daysOf = (
  { accounts }: Pick<Settings, 'accounts'>,
  { timeZonesChanged }: Pick<Mongo, 'timeZonesChanged'>,
  clock: () => number,
): CheckHealth => {
  let rightUntil = Number.NEGATIVE_INFINITY
  return async () => {
    const changed = clock() < rightUntil ? [] : await timeZonesChanged(accounts).catch(() => undefined)
    if (changed?.length === 0 && clock() >= rightUntil) rightUntil = clock() + zonesAgainMs
    if (changed === undefined || changed.length === 0)
      return { ok: true, reason: 'its days have the time zones of the accounts' }
    const more = changed.length - namedAccounts
    const names = [...changed.slice(0, namedAccounts), ...(more > 0 ? [`${more} more accounts`] : [])]
    return { ok: true, isLimited: true, reason: `some days of ${names.join(', ')} are of another time zone` }
  }
}

/** Folds the topics into the views. Statistics and audits of transcripts begin once the views may be folded. */
const viewsConsumer = ({ kafka, mongo, missed, metrics }: Ports, positions: PositionsInMongo): ConsumerSpec => {
  const marks = logMarks({ ...mongo.topicsRead, compareLog: kafka.compareLog })
  const fold = projector({
    decode: decodeRecord,
    applyChanges: mongo.applyChanges,
    findErased: erasedFinder({ ...mongo.erasures, clock: monotonic }),
    classify,
    deadLetter: kafka.deadLetter(viewsGroup),
    measure: metrics.measure,
    hasRoom,
    clock: monotonic,
    wallMs: Date.now,
  })
  return {
    group: viewsGroup,
    topics: topicsOfViews(viewNames),
    // Folds depend on no order of two topics, so a topic may come later than the others.
    leftOutIfDenied: topicsOfViews(viewNames),
    commit: 'when-handled',
    refuseTopics: async (ids) => {
      const others = await mongo.viewVersions.others()
      if (others.length > 0) {
        const asked = others.length === 1 ? others[0] : 'all'
        return `${others.join(', ')}: not made by this version of the bridge: run livechat-bridge rebuild ${asked}`
      }
      const changed = await mongo.topicsRead.changed('views', ids)
      if (changed.length > 0)
        return `${changed.join(', ')}: deleted and created again, or TOPIC_PREFIX was changed: views have offsets of the other topic: run livechat-bridge rebuild all`
      const refusal = await marks.refusal(ids)
      if (refusal !== undefined) return refusal
      const misfit = await mongo.erasures.misfit()
      if (misfit !== undefined) return misfit
      await missed.applyToViews()
      const lacking = await positions.refusal(ids)
      if (lacking !== undefined) return lacking
      // Not earlier: documents of another version of the bridge cannot be counted.
      mongo.statsRefresher.start()
      mongo.transcriptAudits.start(isReadBy(kafka)(viewsGroup, botConversations.name))
      return undefined
    },
    startAt: positions.startAt,
    fetchWaitsFor: { bytes: 1024 * 1024, ms: 250 },
    catchUpRecords: catchUpRecords(),
    handle: async (slice, owned) => {
      await marks.before(slice.records)
      await fold(slice, owned)
      positions.handled(slice)
    },
  }
}

/** Stores the enrichments that ingress looks up. */
const enrichmentsConsumer = ({ settings, kafka, mongo, missed }: Ports, positions: PositionsInMongo): ConsumerSpec => {
  const store = enrichmentHandler({
    storeEnrichments: mongo.storeEnrichments,
    deadLetter: kafka.deadLetter(enrichmentsGroup),
    accountIds: new Set(settings.accounts.map(({ id }) => id)),
    findErased: erasedEnrichments(mongo.erasures),
  })
  return {
    group: enrichmentsGroup,
    topics: [enrichments.name],
    commit: 'when-handled',
    refuseTopics: async (ids) => {
      const misfit = await mongo.erasures.misfit()
      if (misfit !== undefined) return misfit
      // Before a newer record of the topic can replace an enrichment that must go.
      await missed.apply()
      const changed = await mongo.topicsRead.changed('enrichments', ids)
      if (changed.length > 0) await mongo.topicsRead.acceptEnrichments(ids)
      return positions.refusal(ids)
    },
    startAt: positions.startAt,
    handle: async (slice, owned) => {
      await store(slice, owned)
      positions.handled(slice)
    },
  }
}

const storeEveryMs = 1_000

type PositionsInMongo = ReturnType<typeof positionsInMongo>

const positionsOf = (
  { kafka, mongo, log }: Ports,
  state: 'views' | 'enrichments',
  group: string,
): PositionsInMongo & { readonly stop: () => Promise<void> } => {
  const positions = positionsInMongo({
    ...mongo.topicsRead.positionsOf(state),
    group,
    // An operator who sets the group's offset by hand decides, for example to skip a batch that nobody can read.
    committed: kafka.ownOffsets,
    ranges: kafka.ranges,
    compareLog: kafka.compareLog,
    isKept: isEventTopic,
    log,
  })
  // While MongoDB is away, the positions wait for the next time.
  const store = () => positions.store().catch(() => undefined)
  const storing = setInterval(store, storeEveryMs)
  return {
    ...positions,
    stop: async () => {
      clearInterval(storing)
      await store()
    },
  }
}

/** Updates the views, the enrichments, the statistics and the audits of transcripts. */
export const startProjector = async (ports: Ports): Promise<Part> => {
  const { kafka, mongo, log } = ports
  const positions = {
    views: positionsOf(ports, 'views', viewsGroup),
    enrichments: positionsOf(ports, 'enrichments', enrichmentsGroup),
  }
  const views = await kafka.consume(viewsConsumer(ports, positions.views))
  const enriching = await kafka.consume(enrichmentsConsumer(ports, positions.enrichments))
  log.info({}, 'the projector runs')
  return {
    checks: {
      projector: views.health,
      enrichments: enriching.health,
      daily_stats: daysOf(ports.settings, mongo, monotonic),
    },
    stop: async () => {
      await Promise.all([views.stop(), enriching.stop()])
      await Promise.all([positions.views.stop(), positions.enrichments.stop()])
      await Promise.all([mongo.statsRefresher.stop(), mongo.transcriptAudits.stop()])
    },
  }
}
