import type { ViewName, Views } from '../../contracts/views.ts'
import type { ApplyChanges, CheckHealth, Log, ReadDocument, Sleep } from '../domain/ports.ts'
import type { StoreEnrichments } from '../projections/enrichment-handler.ts'
import { applyWith } from './apply.ts'
import { classify } from './classify.ts'
import { checkMongo, type MongoLocation, mongoClient, within } from './client.ts'
import {
  type EnrichedKeys,
  enrichedKeys,
  type FindEnrichments,
  findEnrichments,
  storeEnrichments,
} from './enrichments.ts'
import { ensureIndexes } from './indexes.ts'
import { optimisticUpdate } from './optimistic-update.ts'
import { readDocumentIn, waitingConversations } from './read-views.ts'
import { swapGate } from './rebuild/swap.ts'
import { type Redrives, redrivesIn } from './redrives.ts'
import { announceDays } from './stats-announce.ts'
import { computeDayIn } from './stats-documents.ts'
import { daysWithChanges, dueDays, markDays } from './stats-due.ts'
import { type StatsRefresher, statsRefresher } from './stats-refresher.ts'
import { readPresent, writeIfUnchanged } from './store.ts'
import { type TopicsRead, topicsReadIn } from './topics-read.ts'
import { writeBatcher } from './write-batcher.ts'

export type Mongo = {
  /** Applies changes; calls at the same time go to MongoDB together. */
  readonly applyChanges: ApplyChanges
  readonly readDocument: ReadDocument
  readonly waitingConversations: ReturnType<typeof waitingConversations>
  readonly storeEnrichments: StoreEnrichments
  /** Throws when MongoDB has not answered within 400 ms. */
  readonly findEnrichments: FindEnrichments
  readonly enrichedKeys: EnrichedKeys
  readonly redrives: Redrives
  readonly topicsRead: TopicsRead
  /** Keeps daily_stats up to date; one for each process, not running until it is started. */
  readonly statsRefresher: StatsRefresher
  /** Resolves when every index can be used, which may take long where there are many documents already. */
  readonly ensureIndexes: () => Promise<void>
  readonly health: CheckHealth
  /** Stops the refresher and closes the connections; bounded. */
  readonly stop: () => Promise<void>
}

type Deps = {
  readonly log: Log
  readonly sleep: Sleep
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number
  /** How long no change of a day must have been announced before its mark goes; far above every step's deadline. */
  readonly calmMs?: number
}

const closeMs = 3_000

/**
 * The bridge's side of MongoDB. Documents are written by a client of its own that does not retry: what retries need, a record
 * in `config.transactions` for each update, costs MongoDB a tenth of the update, and a slice that failed comes again anyway.
 * Connects at the first use and again after every outage. Throws on a malformed URL.
 */
export const connectMongo = (location: MongoLocation, { log, sleep, clock, calmMs = 60_000 }: Deps): Mongo => {
  const client = mongoClient(location)
  const db = client.db(location.database)
  const writer = mongoClient(location, { retryWrites: false })
  const updateDocuments = optimisticUpdate<Views[ViewName]>({
    read: readPresent(db, 'majority'),
    write: writeIfUnchanged(writer.db(location.database)),
    announce: announceDays({ mark: (ids, fresh) => markDays(db, ids, fresh), clock }),
    mayWrite: swapGate(db),
    sleep,
  })
  const refresher = statsRefresher({
    dueDays: () => dueDays(db, calmMs),
    daysWithChanges: () => daysWithChanges(db),
    computeDay: computeDayIn(db),
    log,
    sleep,
    clock,
  })
  return {
    applyChanges: writeBatcher({ applyChanges: applyWith(updateDocuments), classify, sleep }),
    readDocument: readDocumentIn(db),
    waitingConversations: waitingConversations(db),
    storeEnrichments: storeEnrichments(db, sleep),
    findEnrichments: findEnrichments(db),
    enrichedKeys: enrichedKeys(db),
    redrives: redrivesIn(db),
    topicsRead: topicsReadIn(db),
    statsRefresher: refresher,
    ensureIndexes: async () => {
      // An index of a large collection takes longer than a socket may be silent elsewhere.
      await using patient = mongoClient(location, { socketTimeoutMS: 0 })
      await ensureIndexes(patient.db(location.database))
    },
    health: () => checkMongo(db),
    stop: async () => {
      await Promise.race([refresher.stop(), sleep(closeMs)])
      await within(closeMs, Promise.all([client.close(true), writer.close(true)])).catch(() => undefined)
    },
  }
}
