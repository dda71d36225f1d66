import type { TopicName } from '../../../contracts/topics.ts'
import type { OutgoingRecord } from '../domain/log/record.ts'
import type { Sleep } from '../shared/time.ts'
import { drain, type ToKafka } from './drain.ts'
import { decide, type Effect, type FailoverEvent, initialState, type Outcome, transient } from './failover.ts'
import { type Journal, type JournalState, sumOf } from './journal.ts'

/** A record that is not settled yet. Times are in ticks. */
export type Item = {
  readonly record: OutgoingRecord
  readonly failovers: number
  readonly dueAt: number
  readonly answer: (outcome: Outcome) => void
}

type Caller = { readonly dueAt: number; readonly late: () => void }

const ticksInBudget = 20

/**
 * Reports when the budget of the oldest outstanding record is used up, and answers a caller whose timeout has passed.
 * One timer serves all records and callers. It counts ticks instead of reading a clock. After a pause of the process
 * one tick has passed, not the whole pause, so answers that have already arrived are processed before they count as
 * late. An adjusted clock makes nothing late.
 */
const deadlines = ({
  outstanding,
  budgetMs,
  sleep,
  passed,
}: {
  /** In the order of arrival. */
  readonly outstanding: ReadonlySet<Item>
  readonly budgetMs: number
  readonly sleep: Sleep
  readonly passed: (failovers: number) => void
}) => {
  const tickMs = budgetMs / ticksInBudget
  const callers = new Set<Caller>()
  let now = 0
  let running = false

  const run = async () => {
    while (callers.size > 0 || outstanding.size > 0) {
      await sleep(tickMs)
      now += 1
      const [oldest] = outstanding
      if (oldest !== undefined && oldest.dueAt <= now) passed(oldest.failovers)
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

/** `budgetMs`: how long Kafka may need for a record before its topic fails over. */
type Fallback = ToKafka & { readonly budgetMs: number }

/**
 * Right when the record is durable. `kafka`: the brokers have acknowledged it. `journal`: it is synced to the local
 * disk and will be drained. Left after at most `withinMs`, which should exceed `budgetMs` by the time that a disk needs
 * to sync; at once if no time is left. A transient failure: it is not known whether the record is durable, for example when Kafka fails and the
 * journal is full. Any other failure: Kafka will never accept this record.
 */
export type AppendWithFallback = (record: OutgoingRecord, withinMs: number) => Promise<Outcome>

/**
 * Appends the records of one topic. While Kafka does not accept them, they go to the journal. For each key, the first
 * occurrences of all acknowledged records are in Kafka in the order of arrival, even if a process or broker fails. Why:
 * - The producer appends in the order of the calls. If it refuses a record because its buffer is full, it does not
 *   append that record, and also no later record of the topic from the same turn of the event loop.
 * - When the topic fails over, all outstanding records go to the journal in the order of arrival. All later records
 *   follow them. The producer may still append the outstanding records: earlier, and in the same order.
 * - The drain starts a batch in the journal's order, and only when the previous batch is settled. A record that it
 *   repeats (after a failure, or a crash before the checkpoint) was in Kafka in its place before, or is there now.
 * - Records are sent directly again only when no record is in the journal, on its way there, or in flight from it.
 *   Records that arrive during the end of the drain are held and go first. If Kafka fails during this time, they go to
 *   the journal in the order of arrival.
 * - A crash loses only records that were not acknowledged. The journal's records go before any new record.
 */
export const topicFallback = (topic: TopicName, journal: Journal, given: Fallback) => {
  const { budgetMs, log, sleep } = given
  const stopping = new AbortController()
  const outstanding = new Set<Item>()
  const journaling = new Set<Promise<void>>()
  let state = initialState(journal.state().records)
  let draining = false
  const withDeadline = deadlines({
    outstanding,
    budgetMs,
    sleep,
    passed: (failovers) => dispatch({ type: 'DeadlinePassed', failovers }),
  })

  const send = async (item: Item) => {
    const outcome = await given.send(item.record)
    dispatch({ type: 'KafkaAnswered', failovers: item.failovers, outcome }, item)
    outstanding.delete(item)
  }

  const toJournal = (item: Item) => {
    const writing = journal.append(item.record).then((outcome) => {
      journaling.delete(writing)
      dispatch({ type: 'JournalAnswered', outcome }, item)
    })
    journaling.add(writing)
  }

  const startDrain = () => {
    if (draining) return
    draining = true
    const report = (type: 'NearlyDrained' | 'Drained' | 'DrainFailed') => {
      dispatch({ type })
      draining = state.mode !== 'direct'
      return !draining
    }
    const written = () => Promise.all(journaling)
    drain({ ...given, journal, journalName: topic, report, written, stopping: stopping.signal })
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

  const dispatch = (event: FailoverEvent, item?: Item) => {
    const before = state
    const [after, effects] = decide(before, event)
    state = after
    if (before.mode === 'direct' && after.mode === 'failed-over')
      log.warn(
        { topic, cause: event.type, outstanding: before.outstanding },
        'Kafka does not accept records of a topic: they go to the journal',
      )
    if (before.mode !== 'direct' && after.mode === 'direct')
      log.info({ topic, held: before.outstanding }, 'the journal is drained: records go to Kafka again')
    for (const effect of effects) perform(effect, item)
  }

  if (state.mode === 'failed-over') startDrain()

  const append: AppendWithFallback = (record, withinMs) => {
    if (withinMs <= 0) return Promise.resolve(transient('no time is left'))
    return withDeadline(withinMs, (times, answer) =>
      dispatch({ type: 'RecordArrived' }, { record, failovers: state.failovers, answer, ...times }),
    )
  }
  return {
    append,
    state: () => ({
      ...journal.state(),
      isFailedOver: state.mode === 'failed-over' || state.mode === 'failing-back',
      refused: state.refused,
    }),
    /** Appends the records that Kafka has not acknowledged to the journal, and closes it. */
    stop: async (): Promise<void> => {
      dispatch({ type: 'Stopping' })
      stopping.abort()
      await Promise.all(journaling)
      await journal.close()
    },
  }
}

/** `failedOver`: topics whose records go to the journal. `refused`: one of their journals refused its last record. */
export type FallbackState = JournalState & {
  readonly failedOver: ReadonlyArray<TopicName>
  readonly refused: boolean
}

/** Appends to each topic with its own fallback: a topic that Kafka does not accept delays only its own records. */
export const appendWithFallback = (journals: ReadonlyMap<TopicName, Journal>, given: Fallback) => {
  const topics = new Map([...journals].map(([topic, journal]) => [topic, topicFallback(topic, journal, given)]))
  const append: AppendWithFallback = (record, withinMs) =>
    topics.get(record.topic)?.append(record, withinMs) ?? Promise.resolve(transient(`no journal for ${record.topic}`))
  return {
    append,
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
