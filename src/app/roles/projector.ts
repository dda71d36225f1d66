import { botConversations, enrichments, isEventTopic } from '../../../contracts/topics.ts'
import { timeZonesOf } from '../../bridge/domain/accounts.ts'
import { enrichmentsGroup, viewsGroup } from '../../bridge/domain/consumer-groups.ts'
import type { ConsumerSpec } from '../../bridge/domain/log/consumer.ts'
import { logMarks } from '../../bridge/domain/log/positions.ts'
import { erasedEnrichments, erasedFinder } from '../../bridge/domain/person/erased.ts'
import { longestWaitMs } from '../../bridge/egress/watchdog/escalations.ts'
import { isReadBy } from '../../bridge/kafka/offsets.ts'
import { decodeRecord } from '../../bridge/kafka/records.ts'
import { classify } from '../../bridge/mongo/classify.ts'
import { storeEnrichments } from '../../bridge/mongo/enrichments.ts'
import { erasuresIn } from '../../bridge/mongo/erasures.ts'
import { countDrift, countWaiting } from '../../bridge/mongo/read-views.ts'
import { ageOfStats } from '../../bridge/mongo/stats-due.ts'
import { statsRefresherIn } from '../../bridge/mongo/stats-refresher.ts'
import { timeZonesChanged } from '../../bridge/mongo/time-zones.ts'
import { topicsReadIn } from '../../bridge/mongo/topics-read.ts'
import { countTranscriptDifferences, transcriptAudits } from '../../bridge/mongo/transcript-audits.ts'
import { viewVersionsIn } from '../../bridge/mongo/view-versions.ts'
import { catchUpRecords, hasRoom } from '../../bridge/shared/heap.ts'
import { dayMs, monotonic, sleep } from '../../bridge/shared/time.ts'
import { enrichmentHandler } from '../../bridge/views/enrichment-handler.ts'
import { topicsOfViews, viewNames } from '../../bridge/views/index.ts'
import { positionsInMongo } from '../../bridge/views/positions.ts'
import { projector } from '../../bridge/views/projector.ts'
import { timeZonesHealth } from '../../bridge/views/stats-days.ts'
import { type Part, type Ports, scrapeWithinMs } from '../ports.ts'

/** The gauges that are read from the views. */
export const watchViews = ({ settings, mongo, metrics }: Pick<Ports, 'settings' | 'mongo' | 'metrics'>): void => {
  const { accounts } = settings
  const accountIds = accounts.map(({ id }) => id)
  const withBots = accounts.flatMap(({ id, bot }) => (bot ? [id] : []))
  const before = (ms: number) => new Date(Date.now() - ms)
  metrics.watch('waiting', async () => ({
    accounts: withBots,
    counts: await mongo.query(countWaiting)(withBots, before(longestWaitMs), scrapeWithinMs),
  }))
  metrics.watch('drift', async () => ({
    accounts: accountIds,
    counts: await mongo.query(countDrift)(accountIds, scrapeWithinMs),
  }))
  metrics.watch('statistics', async () => ({ ageSeconds: await mongo.query(ageOfStats)(new Date(), scrapeWithinMs) }))
  metrics.watch('transcripts', () => mongo.query(countTranscriptDifferences)(withBots, before(dayMs), scrapeWithinMs))
}

/** Folds the topics into the views. Statistics and audits of transcripts begin once the views may be folded. */
const viewsConsumer = (
  { kafka, mongo, applyChanges, missed, metrics }: Ports,
  positions: PositionsInMongo,
  whenFolding: () => void,
): ConsumerSpec => {
  const topicsRead = mongo.query(topicsReadIn)
  const erasures = mongo.query(erasuresIn)
  const viewVersions = mongo.query(viewVersionsIn)
  const marks = logMarks({ ...topicsRead, compareLog: kafka.compareLog })
  const fold = projector({
    decode: decodeRecord,
    applyChanges,
    findErased: erasedFinder({ ...erasures, clock: monotonic }),
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
      const others = await viewVersions.others()
      if (others.length > 0) {
        const asked = others.length === 1 ? others[0] : 'all'
        return `${others.join(', ')}: not made by this version of the bridge: run livechat-bridge rebuild ${asked}`
      }
      const changed = await topicsRead.changed('views', ids)
      if (changed.length > 0)
        return `${changed.join(', ')}: deleted and created again, or TOPIC_PREFIX was changed: views have offsets of the other topic: run livechat-bridge rebuild all`
      const refusal = await marks.refusal(ids)
      if (refusal !== undefined) return refusal
      const misfit = await erasures.misfit()
      if (misfit !== undefined) return misfit
      await missed.applyToViews()
      const lacking = await positions.refusal(ids)
      if (lacking !== undefined) return lacking
      // Not earlier: documents of another version of the bridge cannot be counted.
      whenFolding()
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
  const topicsRead = mongo.query(topicsReadIn)
  const erasures = mongo.query(erasuresIn)
  const store = enrichmentHandler({
    storeEnrichments: mongo.query((db) => storeEnrichments(db, sleep)),
    deadLetter: kafka.deadLetter(enrichmentsGroup),
    accountIds: new Set(settings.accounts.map(({ id }) => id)),
    findErased: erasedEnrichments(erasures),
  })
  return {
    group: enrichmentsGroup,
    topics: [enrichments.name],
    commit: 'when-handled',
    refuseTopics: async (ids) => {
      const misfit = await erasures.misfit()
      if (misfit !== undefined) return misfit
      // Before a newer record of the topic can replace an enrichment that must go.
      await missed.apply()
      const changed = await topicsRead.changed('enrichments', ids)
      if (changed.length > 0) await topicsRead.acceptEnrichments(ids)
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
    ...mongo.query(topicsReadIn).positionsOf(state),
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
  const { settings, kafka, mongo, log } = ports
  const positions = {
    views: positionsOf(ports, 'views', viewsGroup),
    enrichments: positionsOf(ports, 'enrichments', enrichmentsGroup),
  }
  const refresher = statsRefresherIn(mongo, timeZonesOf(settings.accounts), { log, sleep, clock: monotonic })
  const audits = mongo.query((db) => transcriptAudits(db, log, sleep))
  const whenFolding = () => {
    refresher.start()
    audits.start(isReadBy(kafka)(viewsGroup, botConversations.name))
  }
  const views = await kafka.consume(viewsConsumer(ports, positions.views, whenFolding))
  const enriching = await kafka.consume(enrichmentsConsumer(ports, positions.enrichments))
  log.info({}, 'the projector runs')
  return {
    checks: {
      projector: views.health,
      enrichments: enriching.health,
      daily_stats: timeZonesHealth(() => mongo.query((db) => timeZonesChanged(db, settings.accounts)), monotonic),
    },
    stop: async () => {
      await Promise.all([views.stop(), enriching.stop()])
      await Promise.all([positions.views.stop(), positions.enrichments.stop()])
      await Promise.all([refresher.stop(), audits.stop()])
    },
  }
}
