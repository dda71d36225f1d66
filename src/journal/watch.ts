import type { OutgoingRecord, Sleep } from '../domain/ports.ts'
import type { Outcome } from './way.ts'
import { transient } from './way.ts'

/** A record on its way; times are in ticks. */
export type Item = {
  readonly record: OutgoingRecord
  readonly turn: number
  readonly overdueAt: number
  readonly answer: (outcome: Outcome) => void
}

type Deps = {
  /** In the order of their arrival. */
  readonly outstanding: ReadonlySet<Item>
  readonly budgetMs: number
  readonly sleep: Sleep
  readonly overdue: (turn: number) => void
}

type Caller = { readonly lateAt: number; readonly late: () => void }

const ticksInBudget = 20

/**
 * Calls the oldest outstanding record overdue when its budget is used up, and answers a caller whose time is over. One
 * timer for all of them, counted in ticks instead of read from a clock: a process that was stopped for a while finds
 * the answers that have come before it finds that they are late, and a clock that is put right makes nothing late.
 */
export const watch = ({ outstanding, budgetMs, sleep, overdue }: Deps) => {
  const tickMs = budgetMs / ticksInBudget
  const callers = new Set<Caller>()
  let now = 0
  let running = false

  const run = async () => {
    while (callers.size > 0 || outstanding.size > 0) {
      await sleep(tickMs)
      now += 1
      const [oldest] = outstanding
      if (oldest !== undefined && oldest.overdueAt <= now) overdue(oldest.turn)
      for (const { lateAt, late } of callers) if (lateAt <= now) late()
    }
    running = false
  }

  return (withinMs: number, start: (times: Pick<Item, 'overdueAt'>, answer: Item['answer']) => void) =>
    new Promise<Outcome>((resolve) => {
      const answer = (outcome: Outcome) => {
        if (callers.delete(caller)) resolve(outcome)
      }
      const late = () => answer(transient(`not known to be durable within ${withinMs} ms`))
      const caller: Caller = { lateAt: now + Math.max(1, Math.floor(withinMs / tickMs)), late }
      callers.add(caller)
      start({ overdueAt: now + ticksInBudget }, answer)
      if (running) return
      running = true
      run()
    })
}
