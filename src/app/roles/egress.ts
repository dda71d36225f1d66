import { botConversations, botReplies } from '../../../contracts/topics.ts'
import { now } from '../../bridge/domain/clock.ts'
import { egressGroup, viewsGroup } from '../../bridge/domain/consumer-groups.ts'
import { postToService } from '../../bridge/egress/delivery/post.ts'
import { egress } from '../../bridge/egress/egress.ts'
import type { EgressPorts } from '../../bridge/egress/ports.ts'
import { fromCommand, fromRecord } from '../../bridge/kafka/records.ts'
import { readDocumentIn, waitingConversations } from '../../bridge/mongo/read-views.ts'
import { type TopicsRead, topicsReadIn } from '../../bridge/mongo/topics-read.ts'
import { monotonic, sleep } from '../../bridge/shared/time.ts'
import { withDeadline } from '../../bridge/shared/timeout.ts'
import { inMongo } from '../../bridge/views/positions.ts'
import type { Part, Ports } from '../ports.ts'

const viewsWithinMs = 2_000

/**
 * Where the views end in each partition of bot-conversations. The places in their documents mean nothing in this log if
 * they are of another topic of that name, or if Kafka was restored from an older copy. While MongoDB does not answer,
 * no document is read either.
 */
const viewsEndOf = (kafka: Ports['kafka'], inViews: TopicsRead['inViews']): EgressPorts['viewsEnd'] => {
  return async () => {
    const { name } = botConversations
    const [committed, ids] = await Promise.all([kafka.committedOffsets(viewsGroup, name), kafka.topicIds([name])])
    const known = await withDeadline(sleep, viewsWithinMs, () => inViews(name).catch(() => undefined))
    const { id, marks, positionOf = () => undefined } = known?.value ?? {}
    const done = await inMongo(kafka.compareLog, name, committed, positionOf)
    const isOther = id !== undefined && ids.get(name) !== undefined && id !== ids.get(name)
    const verdicts = await kafka.compareLog(name, marks ?? new Map())
    return (partition) =>
      isOther || verdicts.get(partition)?.kind === 'replaced'
        ? { offset: 0, isOfThisLog: false }
        : { offset: done.get(partition) ?? 0, isOfThisLog: true }
  }
}

/** Posts bot replies to the service. */
export const startEgress = async ({ settings, kafka, mongo, tokens, metrics, log }: Ports): Promise<Part> => {
  const worker = egress({
    accounts: settings.accounts,
    issueToken: tokens.issue,
    measure: metrics.measure,
    log,
    now,
    sleep,
    monotonic,
    readDocument: mongo.query(readDocumentIn),
    openTurns: mongo.query(waitingConversations),
    publish: kafka.publish,
    deadLetter: kafka.deadLetter(egressGroup),
    reroute: kafka.reroute,
    decodeCommand: fromCommand,
    decodeEvent: fromRecord,
    fetchCommands: (partition, offset) => kafka.fetchFrom(botReplies.name, partition, offset),
    endOffsets: kafka.endOffsets,
    viewsEnd: viewsEndOf(kafka, mongo.query(topicsReadIn).inViews),
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
