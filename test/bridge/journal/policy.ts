import { setImmediate } from 'node:timers/promises'
import { topicFallback } from '../../../src/bridge/journal/fallback.ts'
import { journalHealth } from '../../../src/bridge/journal/intake.ts'
import type { Journal, JournalOptions } from '../../../src/bridge/journal/journal.ts'
import { scriptedBroker } from './broker.ts'
import { virtualClock } from './clock.ts'
import { idOf, openAt, recordingLog } from './given.ts'

/** Counts the calls of the journal; `busy` is true while one has no answer. */
const counted = (journal: Journal) => {
  let calls = 0
  const count =
    <A extends unknown[], B>(call: (...args: A) => Promise<B>) =>
    (...args: A) => {
      calls += 1
      return call(...args).finally(() => {
        calls -= 1
      })
    }
  const { append, peek, drained } = journal
  return {
    journal: { ...journal, append: count(append), peek: count(peek), drained: count(drained) },
    busy: () => calls > 0,
  }
}

export const budgetMs = 1_000

/** The policy over a real journal, a scripted broker and a virtual clock. */
export const startPolicy = async (
  dir: string,
  broker = scriptedBroker(),
  clock = virtualClock(),
  options: Partial<JournalOptions> = {},
) => {
  const { log, lines } = recordingLog()
  const { journal, busy } = counted(await openAt(dir, { now: clock.now, segmentBytes: 600, ...options }))
  const lane = broker.connect()
  const rejected: number[] = []
  const keeping = { fails: false }
  const reject = async (record: Parameters<typeof idOf>[0]) => {
    if (keeping.fails) throw new Error('no dead letters')
    rejected.push(idOf(record))
  }
  const policy = topicFallback('chats', journal, {
    send: lane.send,
    reject,
    budgetMs,
    log,
    random: () => 0.5,
    sleep: clock.sleep,
  })
  /** Waits until only the broker or the clock can cause more work. */
  const idle = async () => {
    for (let quiet = 0; quiet < 4; quiet = busy() ? 0 : quiet + 1) await setImmediate()
  }
  /** The broker accepts and acknowledges everything until nothing is left. */
  const recover = async () => {
    broker.setFull(false)
    await idle()
    for (let i = 1; policy.state().isFailedOver || lane.waiting().length > 0; i++) {
      if (i > 1_000) throw new Error('the failover does not end')
      lane.take(Number.POSITIVE_INFINITY, 'now')
      lane.acknowledgeLate()
      // Sometimes long enough for the drain to retry an append that is never answered.
      await clock.pass(i % 10 === 0 ? 100 * budgetMs : budgetMs / 20)
      await idle()
    }
  }
  const health = () => {
    const { isFailedOver, ...state } = policy.state()
    const orphans = { journals: 0, records: 0, unusable: [], damaged: { places: 0, bytes: 0 } }
    return journalHealth(
      { ...state, failedOver: isFailedOver ? ['chats'] : [], orphans, refusals: [] },
      Date.parse(clock.now()),
    )
  }
  return { ...policy, health, broker, clock, lane, rejected, keeping, lines, idle, recover }
}
