import { rateMemory } from './rate-limit.ts'
import { recentMemory } from './recent.ts'

/** What an instance remembers of its requests, for all of its threads: `accounts` is their number. */
export const ingressMemory = (accounts: number) => ({
  published: recentMemory(),
  rates: rateMemory(accounts),
})
export type IngressMemory = ReturnType<typeof ingressMemory>
