import { botConversations, isEventTopic } from '../../../contracts/topics.ts'
import { timeZonesOf } from '../../bridge/domain/accounts.ts'
import { enrichmentsGroup, viewsGroup } from '../../bridge/domain/consumer-groups.ts'
import { erasedEnrichments, erasedFinder } from '../../bridge/domain/person/erased.ts'
import { longestWaitMs } from '../../bridge/egress/watchdog/escalations.ts'
import { isReadBy } from '../../bridge/kafka/offsets.ts'
import { decodeRecord } from '../../bridge/kafka/records.ts'
import { classify } from '../../bridge/mongo/classify.ts'
import { storeEnrichments } from '../../bridge/mongo/enrichments.ts'
import { countDrift, countWaiting } from '../../bridge/mongo/read-views.ts'
import { ageOfStats } from '../../bridge/mongo/stats-due.ts'
import { timeZonesChanged } from '../../bridge/mongo/stats-recompute.ts'
import { statsRefresherIn } from '../../bridge/mongo/stats-refresher.ts'
import { topicsReadIn } from '../../bridge/mongo/topics-read.ts'
import { countTranscriptDifferences, transcriptAudits } from '../../bridge/mongo/transcript-audits.ts'
import { viewVersionsIn } from '../../bridge/mongo/view-versions.ts'
import { hasRoom } from '../../bridge/shared/heap.ts'
import { dayMs, monotonic, sleep } from '../../bridge/shared/time.ts'
import { enrichmentsConsumer, viewsConsumer } from '../../bridge/views/consumers.ts'
import { enrichmentHandler } from '../../bridge/views/enrichments.ts'
import { positionsInMongo, storeEverySecond } from '../../bridge/views/positions.ts'
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

/** Updates the views, the enrichments, the statistics and the audits of transcripts. */
export const startProjector = async ({
  settings,
  kafka,
  mongo,
  applyChanges,
  erasures,
  missed,
  metrics,
  log,
}: Ports): Promise<Part> => {
  const { accounts } = settings
  const topicsRead = mongo.query(topicsReadIn)
  const positionsOf = (state: 'views' | 'enrichments', group: string) =>
    positionsInMongo({
      ...topicsRead.positionsOf(state),
      group,
      // An operator who sets the group's offset by hand decides, for example to skip a batch that nobody can read.
      committed: kafka.ownOffsets,
      ranges: kafka.ranges,
      compareLog: kafka.compareLog,
      isKept: isEventTopic,
      log,
    })
  const positions = positionsOf('views', viewsGroup)
  const ofEnrichments = positionsOf('enrichments', enrichmentsGroup)
  const refresher = statsRefresherIn(mongo, timeZonesOf(accounts), { log, sleep, clock: monotonic })
  const audits = mongo.query((db) => transcriptAudits(db, log, sleep))

  const views = await kafka.consume(
    viewsConsumer({
      fold: projector({
        decode: decodeRecord,
        applyChanges,
        findErased: erasedFinder({ ...erasures, clock: monotonic }),
        classify,
        deadLetter: kafka.deadLetter(viewsGroup),
        measure: metrics.measure,
        hasRoom,
        clock: monotonic,
        wallMs: Date.now,
      }),
      positions,
      topicsRead,
      compareLog: kafka.compareLog,
      viewsOfOtherVersions: mongo.query(viewVersionsIn).others,
      misfit: erasures.misfit,
      applyMissedErasures: missed.applyToViews,
      whenFolding: () => {
        refresher.start()
        audits.start(isReadBy(kafka)(viewsGroup, botConversations.name))
      },
      clock: monotonic,
    }),
  )
  const enriching = await kafka.consume(
    enrichmentsConsumer({
      store: enrichmentHandler({
        storeEnrichments: mongo.query((db) => storeEnrichments(db, sleep)),
        deadLetter: kafka.deadLetter(enrichmentsGroup),
        accountIds: new Set(accounts.map(({ id }) => id)),
        findErased: erasedEnrichments(erasures),
      }),
      positions: ofEnrichments,
      topicsRead,
      misfit: erasures.misfit,
      applyMissedErasures: missed.apply,
    }),
  )
  const stopStoring = [positions, ofEnrichments].map(storeEverySecond)
  log.info({}, 'the projector runs')
  return {
    checks: {
      projector: views.health,
      enrichments: enriching.health,
      daily_stats: timeZonesHealth(() => mongo.query((db) => timeZonesChanged(db, accounts)), monotonic),
    },
    stop: async () => {
      await Promise.all([views.stop(), enriching.stop()])
      await Promise.all(stopStoring.map((stop) => stop()))
      await Promise.all([refresher.stop(), audits.stop()])
    },
  }
}
