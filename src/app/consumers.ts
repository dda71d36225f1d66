import { botReplies, enrichments, eventTopics } from '../../contracts/topics.ts'
import type { Account } from '../domain/accounts.ts'
import { now } from '../domain/clock.ts'
import type { CheckHealth, IssueToken, Log, Measure } from '../domain/ports.ts'
import { postToService } from '../egress/delivery/post.ts'
import { type Egress, egress } from '../egress/egress.ts'
import { fromRecord } from '../kafka/cloud-event.ts'
import { decodeRecord, fromCommand } from '../kafka/command.ts'
import type { KafkaRoom } from '../kafka/kafka.ts'
import { classify } from '../mongo/classify.ts'
import type { Mongo } from '../mongo/connect.ts'
import { enrichmentHandler } from '../projections/enrichment-handler.ts'
import { projector } from '../projections/projector.ts'
import { deepRecords, hasRoom } from '../shared/heap.ts'
import { monotonic, sleep } from '../shared/time.ts'

type Deps = {
  readonly kafka: KafkaRoom
  readonly mongo: Mongo
  readonly accounts: ReadonlyArray<Account>
  readonly issueToken: IssueToken
  readonly measure: Measure
  readonly log: Log
}

/** Who keeps the enrichments. */
export const enrichmentsGroup = 'enrichments'

/** What runs in a process: how it is, and how it ends. */
export type Part = {
  readonly checks: Readonly<Record<string, CheckHealth>>
  /** How it stands between each account and its service. */
  readonly gates?: Egress['gates']
  readonly stop: () => Promise<void>
}

/** Keeps the views, the enrichments and the statistics. */
export const startProjector = async ({ kafka, mongo, accounts, measure, log }: Deps): Promise<Part> => {
  const views = await kafka.consume({
    group: 'projector',
    topics: [...eventTopics.map(({ name }) => name), botReplies.name],
    commit: 'when-handled',
    gatherBytes: 64 * 1024,
    deepRecords: deepRecords(),
    handle: projector({
      decode: decodeRecord,
      applyChanges: mongo.applyChanges,
      classify,
      deadLetter: kafka.deadLetter('projector'),
      measure,
      hasRoom,
      clock: monotonic,
    }),
  })
  const enriching = await kafka.consume({
    group: enrichmentsGroup,
    topics: [enrichments.name],
    commit: 'when-handled',
    handle: enrichmentHandler({
      storeEnrichments: mongo.storeEnrichments,
      deadLetter: kafka.deadLetter('enrichments'),
      accountIds: new Set(accounts.map(({ id }) => id)),
    }),
  })
  mongo.statsRefresher.start()
  log.info({}, 'the projector runs')
  return {
    checks: { projector: views.health, enrichments: enriching.health },
    stop: async () => {
      await Promise.all([views.stop(), enriching.stop()])
      await mongo.statsRefresher.stop()
    },
  }
}

/** Posts bot replies to the service. */
export const startEgress = async (deps: Deps): Promise<Part> => {
  const { kafka, mongo, accounts, issueToken, measure, log } = deps
  const worker = egress({
    ...{ accounts, issueToken, measure, log, now, sleep, monotonic },
    readDocument: mongo.readDocument,
    openTurns: mongo.waitingConversations,
    publish: kafka.publish,
    deadLetter: kafka.deadLetter('egress'),
    bringHome: kafka.reroute,
    decodeCommand: fromCommand,
    decodeEvent: fromRecord,
    endOffsets: kafka.endOffsets,
    committedOffsets: kafka.committedOffsets,
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
