import type { Bench } from './bench.ts'
import { firstNumber } from './load/bodies.ts'
import type { SeedAsk } from './load/seed.ts'
import { startWorker } from './worker.ts'

/** Fills a topic from a separate process, which ends afterwards. */
export const seed = async (bench: Bench, ask: Omit<SeedAsk, 'brokers'>): Promise<void> => {
  const worker = startWorker<SeedAsk, void>('load/seed.ts')
  bench.afterwards(worker.stop)
  await worker.ask({ ...ask, brokers: bench.brokers })
  await worker.stop()
}

/** The sum of each chat's newest number: right only if the last event of each chat is there and came last. */
export const sumOfNewest = (events: number, chats: number): number => {
  const full = Math.floor(events / chats)
  const more = events % chats
  const of = (count: number, last: number) => count * (firstNumber + last)
  return of(more, full) + (full > 0 ? of(chats - more, full - 1) : 0)
}
