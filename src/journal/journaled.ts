import type { Append, Health, Log, Now, OutgoingRecord, Sleep } from '../domain/ports.ts'
import { drain, type Reject } from './drain.ts'
import { describe } from './health.ts'
import type { Journal, JournalState } from './journal.ts'
import { type Item, watch } from './watch.ts'
import { decide, firstWay, type Happening, type Order, type Outcome, transient } from './way.ts'

type Deps = {
  readonly append: Append
  readonly journal: Journal
  /** Keeps a journaled record that the broker refuses for ever. */
  readonly reject: Reject
  /** How long the broker may take for a record before it counts as away. */
  readonly budgetMs: number
  readonly log: Log
  readonly now: Now
  readonly sleep: Sleep
  readonly random: () => number
}

export type Journaled = {
  /**
   * Right once the record is durable, with the place: `log` acknowledged by the broker, `journal` synced to the local
   * disk and on its way. Left after at most `withinMs`, which should exceed `budgetMs` by what a disk takes to sync:
   * permanent, the broker will never take it; transient, it is not known to be durable (the journal is full too).
   */
  readonly append: (record: OutgoingRecord, withinMs: number) => Promise<Outcome>
  readonly state: () => JournalState & { readonly away: boolean }
  readonly health: () => Health
  /** Puts what the broker has not acknowledged into the journal, and closes it. */
  readonly stop: () => Promise<void>
}

// The lane must never give up a record and then take a later one.
const laneMs = Number.POSITIVE_INFINITY

/**
 * The journal in front of the broker's lane. Per key, the first occurrences in the log are in the order in which the
 * records came, for all that were acknowledged, whatever dies in between. Why:
 * - The lane appends in the order of the calls. A record that it refuses for want of room is not appended, and neither
 *   is one that is called for in the same turn of the event loop after it.
 * - When the broker counts as away, everything outstanding goes to the journal in the order of arrival, and everything
 *   later behind it. The lane may still append the outstanding ones: earlier, and in the same order.
 * - The drain starts a batch in the journal's order and only when the batch before has been settled; what it repeats
 *   (after a failure, or a crash before the checkpoint) has been in the log in its place already, or is so now.
 * - The direct way opens only when nothing is in the journal, on its way there, or in flight from it. Records that come
 *   while the last of them go are held, and go first; if the broker fails meanwhile they go to the journal, as they came.
 * - A crash forgets only what nobody was told to be durable; the journal's records go before any new one.
 */
export const journaled = (deps: Deps): Journaled => {
  const { append: appendToLog, journal, budgetMs, log, now, sleep } = deps
  const stopping = new AbortController()
  const outstanding = new Set<Item>()
  const keeping = new Set<Promise<void>>()
  let way = firstWay(journal.state().records)
  let draining = false
  const watched = watch({ outstanding, budgetMs, sleep, overdue: (turn) => happen({ type: 'Overdue', turn }) })

  const toLane = async (record: OutgoingRecord) => {
    try {
      return await appendToLog(record, laneMs)
    } catch {
      return transient('the way to the broker has failed')
    }
  }

  const send = async (item: Item) => {
    const outcome = await toLane(item.record)
    happen({ type: 'BrokerAnswered', turn: item.turn, outcome }, item)
    outstanding.delete(item)
  }

  const keep = (item: Item) => {
    const kept = journal.append(item.record).then((outcome) => {
      keeping.delete(kept)
      happen({ type: 'JournalAnswered', outcome }, item)
    })
    keeping.add(kept)
  }

  const startDrain = () => {
    if (draining) return
    draining = true
    const tell = (type: 'NearlyDrained' | 'Drained' | 'DrainFailed') => {
      happen({ type })
      draining = way.mode !== 'direct'
      return !draining
    }
    const kept = () => Promise.all(keeping)
    drain({ ...deps, send: toLane, tell, kept, stopping: stopping.signal })
  }

  const obey = (order: Order, item: Item | undefined) => {
    if (order.to === 'send outstanding') for (const each of outstanding) send(each)
    else if (order.to === 'keep outstanding') {
      const moved = [...outstanding]
      outstanding.clear()
      moved.forEach(keep)
    } else if (order.to === 'drain') startDrain()
    else if (item === undefined) return
    else if (order.to === 'answer') item.answer(order.outcome)
    else if (order.to === 'keep') keep(item)
    else {
      outstanding.add(item)
      if (order.to === 'send') send(item)
    }
  }

  const happen = (happening: Happening, item?: Item) => {
    const before = way
    const [after, orders] = decide(before, happening)
    way = after
    if (before.mode === 'direct' && after.mode === 'away')
      log.warn({ cause: happening.type, outstanding: before.outstanding }, 'the broker is away: the journal takes over')
    if (before.mode !== 'direct' && after.mode === 'direct')
      log.info({ held: before.outstanding }, 'the journal is drained: records go to the broker again')
    for (const order of orders) obey(order, item)
  }

  if (way.mode === 'away') startDrain()

  const state = () => ({ ...journal.state(), away: way.mode === 'away' || way.mode === 'returning' })

  return {
    append: (record, withinMs) =>
      watched(withinMs, (times, answer) => happen({ type: 'Arrived' }, { record, turn: way.turn, answer, ...times })),
    state,
    health: () => describe(state(), way.refused, Date.parse(now())),
    stop: async () => {
      happen({ type: 'Stopping' })
      stopping.abort()
      await Promise.all(keeping)
      await journal.close()
    },
  }
}
