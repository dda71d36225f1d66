import type { Db } from 'mongodb'
import type { Account } from '../domain/accounts.ts'
import type { ArchiveKeys } from '../domain/archive-keys.ts'
import type { ChatHistory } from '../domain/chat-history.ts'
import type { CheckHealth } from '../domain/checks.ts'
import { now } from '../domain/clock.ts'
import type { Log } from '../shared/log.ts'
import type { Sleep } from '../shared/time.ts'
import type { ApplyChanges, ViewDocument } from '../views/document.ts'
import type { StoreEnrichments } from '../views/enrichment-handler.ts'
import type { ReadView } from '../views/index.ts'
import type { TimeZoneOf } from '../views/stats-days.ts'
import { applyWith } from './apply.ts'
import { archiveKeysIn } from './archive-keys.ts'
import { classify } from './classify.ts'
import { checkMongo, type MongoLocation, mongoClient, rejectAfter, stepMs } from './client.ts'
import { type ConsoleSessions, consoleSessionsIn } from './console-sessions.ts'
import {
  type EnrichedKeys,
  emptyEnrichment,
  enrichedKeys,
  type FindEnrichments,
  findEnrichments,
  type OldNotes,
  oldNotes,
  storedEnrichments,
  storeEnrichments,
} from './enrichments.ts'
import { type Erasures, erasuresIn } from './erasures.ts'
import { chatHistoryIn } from './history.ts'
import { ensureIndexes } from './indexes.ts'
import { optimisticUpdate } from './optimistic-update.ts'
import { countDrift, countWaiting, readDocumentIn, waitingConversations } from './read-views.ts'
import { swapGate } from './rebuild/swap.ts'
import { type Redrives, redrivesIn } from './redrives.ts'
import { type SilentPersons, silentPersonsIn } from './silent-persons.ts'
import { computeDayIn } from './stats-compute.ts'
import { ageOfStats, dueDays, markWritten, readDue } from './stats-due.ts'
import { type StatsRefresher, statsRefresher } from './stats-refresher.ts'
import { idsWhere, readPresent, writeIfUnchanged } from './store.ts'
import { timeZonesChanged } from './time-zones.ts'
import { type TopicsRead, topicsReadIn } from './topics-read.ts'
import {
  countTranscriptDifferences,
  markAudited,
  type TranscriptAudits,
  transcriptAudits,
} from './transcript-audits.ts'
import { readsIn } from './view-reads.ts'
import { type ViewVersions, viewVersionsIn } from './view-versions.ts'
import { writeBatcher } from './write-batcher.ts'

export type Query = <Ask>(queryIn: (db: Db) => Ask) => Ask

export type Mongo = {
  /** Applies changes; calls at the same time go to MongoDB together. */
  readonly applyChanges: ApplyChanges
  readonly readDocument: ReadView
  readonly waitingConversations: ReturnType<typeof waitingConversations>
  readonly countWaiting: ReturnType<typeof countWaiting>
  readonly countDrift: ReturnType<typeof countDrift>
  readonly storeEnrichments: StoreEnrichments
  /** Throws when MongoDB has not answered within 400 ms. */
  readonly findEnrichments: FindEnrichments
  readonly enrichedKeys: EnrichedKeys
  readonly storedEnrichments: ReturnType<typeof storedEnrichments>
  readonly emptyEnrichment: ReturnType<typeof emptyEnrichment>
  readonly oldNotes: OldNotes
  readonly chatHistory: ChatHistory
  readonly redrives: Redrives
  readonly erasures: Erasures
  readonly silentPersons: SilentPersons
  readonly archiveKeys: ArchiveKeys
  readonly topicsRead: TopicsRead
  readonly consoleSessions: ConsoleSessions
  readonly viewVersions: ViewVersions
  /** The accounts with days in daily_stats that were computed in another time zone. */
  readonly timeZonesChanged: (
    accounts: ReadonlyArray<Pick<Account, 'id' | 'timeZone'>>,
  ) => Promise<ReadonlyArray<string>>
  /** For how long statistics have lacked a change, in seconds. */
  readonly ageOfStats: ReturnType<typeof ageOfStats>
  readonly countTranscriptDifferences: ReturnType<typeof countTranscriptDifferences>
  /** A query of the console, from the `console-*` files. */
  readonly query: Query
  /** Compares transcripts with timeline; one for each process, not running until it is started. */
  readonly transcriptAudits: TranscriptAudits
  /** Keeps daily_stats up to date; one for each process, not running until it is started. */
  readonly statsRefresher: StatsRefresher
  /** Resolves when every index can be used. This may take long if there are many documents already. */
  readonly ensureIndexes: () => Promise<void>
  readonly health: CheckHealth
  /** Stops the refresher and the audits, and closes the connections. Takes a limited time. */
  readonly stop: () => Promise<void>
}

type Deps = {
  readonly log: Log
  readonly sleep: Sleep
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number
  /** The time zone of an account's days. The default is UTC. */
  readonly timeZoneOf?: TimeZoneOf
}

const closeMs = 3_000

/**
 * The bridge's connection to MongoDB. A separate client, without retries, writes the documents. A retry needs a record
 * in `config.transactions` for each update. That costs a tenth of the update, and a failed slice is redelivered anyway.
 * Connects at the first use and again after every outage. Throws on a malformed URL.
 */
export const connectMongo = (location: MongoLocation, { log, sleep, clock, timeZoneOf = () => 'UTC' }: Deps): Mongo => {
  const client = mongoClient(location)
  const db = client.db(location.database)
  const writer = mongoClient(location, { retryWrites: false })
  const updateDocuments = optimisticUpdate<ViewDocument>({
    read: readPresent(db, 'majority'),
    write: writeIfUnchanged(writer.db(location.database)),
    written: async (writes) => {
      await markWritten(db, timeZoneOf)(writes)
      await markAudited(db)(writes)
    },
    mayWrite: swapGate(db),
    sleep,
  })
  // Its queries may take a minute, longer than the socket timeout of the other clients.
  const slow = mongoClient(location, { socketTimeoutMS: 90_000 })
  const refresher = statsRefresher({
    readDue: () => readDue(db),
    daysWithChanges: () => rejectAfter(stepMs, dueDays(db).countDocuments()),
    computeDay: computeDayIn(slow.db(location.database), timeZoneOf),
    log,
    sleep,
    clock,
  })
  const audits = transcriptAudits(db, log, sleep)
  return {
    applyChanges: writeBatcher({
      applyChanges: applyWith(updateDocuments, idsWhere(db), undefined, readsIn(db)),
      classify,
      sleep,
    }),
    readDocument: readDocumentIn(db),
    waitingConversations: waitingConversations(db),
    countWaiting: countWaiting(db),
    countDrift: countDrift(db),
    storeEnrichments: storeEnrichments(db, sleep),
    findEnrichments: findEnrichments(db),
    enrichedKeys: enrichedKeys(db),
    storedEnrichments: storedEnrichments(db),
    emptyEnrichment: emptyEnrichment(db),
    oldNotes: oldNotes(db),
    chatHistory: chatHistoryIn(db, now),
    redrives: redrivesIn(db),
    erasures: erasuresIn(db),
    silentPersons: silentPersonsIn(db),
    archiveKeys: archiveKeysIn(db),
    topicsRead: topicsReadIn(db),
    consoleSessions: consoleSessionsIn(db),
    viewVersions: viewVersionsIn(db),
    timeZonesChanged: (accounts) => timeZonesChanged(db, accounts),
    ageOfStats: ageOfStats(db),
    countTranscriptDifferences: countTranscriptDifferences(db),
    query: (queryIn) => queryIn(db),
    transcriptAudits: audits,
    statsRefresher: refresher,
    ensureIndexes: async () => {
      // An index of a large collection takes longer than the socket timeout of the other clients.
      await using patient = mongoClient(location, { socketTimeoutMS: 0 })
      await ensureIndexes(patient.db(location.database))
    },
    health: () => checkMongo(db),
    stop: async () => {
      await Promise.race([Promise.all([refresher.stop(), audits.stop()]), sleep(closeMs)])
      await rejectAfter(closeMs, Promise.all([client, writer, slow].map((each) => each.close(true)))).catch(
        () => undefined,
      )
    },
  }
}
