import type { TopicName } from '../../contracts/topics.ts'
import type { Append, Log, OutgoingRecord, Sleep } from '../domain/ports.ts'
import { drain, type Reject } from './drain.ts'
import { decide, type Effect, type FailoverEvent, initialState, type Outcome, transient } from './failover.ts'
import { type Journal, type JournalState, sumOf } from './journal.ts'

/** A record that is not settled yet; times are in ticks. */
export type Item = {
  readonly record: OutgoingRecord
  readonly epoch: number
  readonly dueAt: number
  readonly answer: (outcome: Outcome) => void
}

type DeadlineDeps = {
  /** In the order of their arrival. */
  readonly outstanding: ReadonlySet<Item>
  readonly budgetMs: number
  readonly sleep: Sleep
  readonly passed: (epoch: number) => void
}

type Caller = { readonly dueAt: number; readonly late: () => void }

const ticksInBudget = 20

/**
 * Reports when the budget of the oldest outstanding record is used up, and answers a caller whose time is over. One
 * timer for all of them, counted in ticks instead of read from a clock: a process that was stopped for a while finds
 * the answers that have come before it finds that they are late, and a clock that is put right makes nothing late.
 */
export const deadlines = ({ outstanding, budgetMs, sleep, passed }: DeadlineDeps) => {
  const tickMs = budgetMs / ticksInBudget
  const callers = new Set<Caller>()
  let now = 0
  let running = false

  const run = async () => {
    while (callers.size > 0 || outstanding.size > 0) {
      await sleep(tickMs)
      now += 1
      const [oldest] = outstanding
      if (oldest !== undefined && oldest.dueAt <= now) passed(oldest.epoch)
      for (const { dueAt, late } of callers) if (dueAt <= now) late()
    }
    running = false
  }

  return (withinMs: number, start: (times: Pick<Item, 'dueAt'>, answer: Item['answer']) => void) =>
    new Promise<Outcome>((resolve) => {
      const answer = (outcome: Outcome) => {
        if (callers.delete(caller)) resolve(outcome)
      }
      const late = () => answer(transient(`not known to be durable within ${withinMs} ms`))
      const caller: Caller = { dueAt: now + Math.max(1, Math.floor(withinMs / tickMs)), late }
      callers.add(caller)
      start({ dueAt: now + ticksInBudget }, answer)
      if (running) return
      running = true
      run()
    })
}

type Deps = {
  readonly append: Append
  /** Keeps a journaled record that Kafka will never take. */
  readonly reject: Reject
  /** How long Kafka may take for a record before its topic fails over. */
  readonly budgetMs: number
  readonly log: Log
  readonly sleep: Sleep
  readonly random: () => number
}

/**
 * Right once the record is durable: `kafka`, acknowledged by the brokers; `journal`, synced to the local disk and on its
 * way. Left after at most `withinMs`, which should exceed `budgetMs` by what a disk takes to sync: transient, it is not
 * known to be durable (the journal is full too); else Kafka will never take it as it is.
 */
export type Publish = (record: OutgoingRecord, withinMs: number) => Promise<Outcome>

// The producer must never give up a record and then take a later one.
const producerMs = Number.POSITIVE_INFINITY

/**
 * Publishes one topic's records, to the journal while Kafka does not take them. Per key, the first occurrences in Kafka
 * are in the order in which the records came, for all that were acknowledged, whatever dies in between. Why:
 * - The producer appends in the order of the calls. A record that it refuses for want of room is not appended, and neither
 *   is one of the topic that is called for in the same turn of the event loop after it.
 * - When the topic fails over, everything outstanding goes to the journal in the order of arrival, and everything later
 *   behind it. The producer may still append the outstanding ones: earlier, and in the same order.
 * - The drain starts a batch in the journal's order and only when the batch before has been settled; what it repeats
 *   (after a failure, or a crash before the checkpoint) has been in Kafka in its place already, or is so now.
 * - Records are sent directly again only when nothing is in the journal, on its way there, or in flight from it. Records
 *   that come while the last of them go are held, and go first; if Kafka fails meanwhile they go to the journal, as they came.
 * - A crash forgets only what nobody was told to be durable; the journal's records go before any new one.
 */
export const topicFallback = (topic: TopicName, journal: Journal, deps: Deps) => {
  const { append: appendToKafka, budgetMs, log, sleep } = deps
  const stopping = new AbortController()
  const outstanding = new Set<Item>()
  const journaling = new Set<Promise<void>>()
  let state = initialState(journal.state().records)
  let draining = false
  const withDeadline = deadlines({
    ...{ outstanding, budgetMs, sleep },
    passed: (epoch) => happen({ type: 'DeadlinePassed', epoch }),
  })

  const toKafka = async (record: OutgoingRecord) => {
    try {
      return await appendToKafka(record, producerMs)
    } catch {
      return transient('the producer has failed')
    }
  }

  const send = async (item: Item) => {
    const outcome = await toKafka(item.record)
    happen({ type: 'KafkaAnswered', epoch: item.epoch, outcome }, item)
    outstanding.delete(item)
  }

  const toJournal = (item: Item) => {
    const kept = journal.append(item.record).then((outcome) => {
      journaling.delete(kept)
      happen({ type: 'JournalAnswered', outcome }, item)
    })
    journaling.add(kept)
  }

  const startDrain = () => {
    if (draining) return
    draining = true
    const tell = (type: 'NearlyDrained' | 'Drained' | 'DrainFailed') => {
      happen({ type })
      draining = state.mode !== 'direct'
      return !draining
    }
    const kept = () => Promise.all(journaling)
    drain({ ...deps, journal, journalName: topic, send: toKafka, tell, kept, stopping: stopping.signal })
  }

  const perform = (effect: Effect, item: Item | undefined) => {
    if (effect.do === 'send outstanding') for (const each of outstanding) send(each)
    else if (effect.do === 'journal outstanding') {
      const moved = [...outstanding]
      outstanding.clear()
      moved.forEach(toJournal)
    } else if (effect.do === 'drain') startDrain()
    else if (item === undefined) return
    else if (effect.do === 'answer') item.answer(effect.outcome)
    else if (effect.do === 'journal') toJournal(item)
    else {
      outstanding.add(item)
      if (effect.do === 'send') send(item)
    }
  }

  const happen = (event: FailoverEvent, item?: Item) => {
    const before = state
    const [after, effects] = decide(before, event)
    state = after
    if (before.mode === 'direct' && after.mode === 'failed-over')
      log.warn(
        { topic, cause: event.type, outstanding: before.outstanding },
        'Kafka does not take records of a topic: they go to the journal',
      )
    if (before.mode !== 'direct' && after.mode === 'direct')
      log.info({ topic, held: before.outstanding }, 'the journal is drained: records go to Kafka again')
    for (const effect of effects) perform(effect, item)
  }

  if (state.mode === 'failed-over') startDrain()

  const publish: Publish = (record, withinMs) =>
    withDeadline(withinMs, (times, answer) =>
      happen({ type: 'RecordArrived' }, { record, epoch: state.epoch, answer, ...times }),
    )
  return {
    publish,
    state: () => ({
      ...journal.state(),
      isFailedOver: state.mode === 'failed-over' || state.mode === 'failing-back',
      refused: state.refused,
    }),
    /** Puts what Kafka has not acknowledged into the journal, and closes it. */
    stop: async (): Promise<void> => {
      happen({ type: 'Stopping' })
      stopping.abort()
      await Promise.all(journaling)
      await journal.close()
    },
  }
}

/** `failedOver`: topics whose records go to the journal; `refused`: it did not take the last one of a topic. */
export type FallbackState = JournalState & {
  readonly failedOver: ReadonlyArray<TopicName>
  readonly refused: boolean
}

/** Publishes to each topic with its own fallback: a topic that Kafka does not take delays only its own records. */
export const publishWithFallback = (journals: ReadonlyMap<TopicName, Journal>, deps: Deps) => {
  const topics = new Map([...journals].map(([topic, journal]) => [topic, topicFallback(topic, journal, deps)]))
  const publish: Publish = (record, withinMs) =>
    topics.get(record.topic)?.publish(record, withinMs) ?? Promise.resolve(transient(`no journal for ${record.topic}`))
  return {
    publish,
    state: (): FallbackState => {
      const states = [...topics].map(([topic, { state }]) => ({ topic, ...state() }))
      const failedOver = states.filter(({ isFailedOver }) => isFailedOver)
      return {
        ...sumOf(states),
        failedOver: failedOver.map(({ topic }) => topic),
        refused: failedOver.some(({ refused }) => refused),
      }
    },
    stop: async (): Promise<void> => {
      await Promise.all([...topics.values()].map(({ stop }) => stop()))
    },
  }
}
