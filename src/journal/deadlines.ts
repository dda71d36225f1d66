import type { OutgoingRecord, Sleep } from '../domain/ports.ts'
import { type Outcome, transient } from './failover.ts'

/** A record that is not settled yet; times are in ticks. */
export type Item = {
  readonly record: OutgoingRecord
  readonly epoch: number
  readonly dueAt: number
  readonly answer: (outcome: Outcome) => void
}

type Deps = {
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
export const deadlines = ({ outstanding, budgetMs, sleep, passed }: Deps) => {
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
