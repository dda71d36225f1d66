import type { CheckHealth, Health } from '../../domain/ports.ts'
import { within } from '../../shared/timeout.ts'

export type Checks = Readonly<Record<string, CheckHealth>>
export type Readiness = { readonly ready: boolean; readonly checks: Readonly<Record<string, Health>> }

const ask = async (check: CheckHealth, withinMs: number): Promise<Health> => {
  try {
    return await within(withinMs, Promise.resolve(check()), () => ({ ok: false, reason: 'no answer in time' }))
  } catch {
    return { ok: false, reason: 'the check itself failed' }
  }
}

/** The state of every dependency; one that does not answer within so many ms is not ready. */
export type ReadReadiness = (withinMs: number) => Promise<Readiness>

/** Asks every dependency at once. */
export const readinessOf = async (checks: Checks, withinMs: number): Promise<Readiness> => {
  const asked = Object.entries(checks).map(async ([name, check]) => [name, await ask(check, withinMs)] as const)
  const answers = Object.fromEntries(await Promise.all(asked))
  return { ready: Object.values(answers).every(({ ok }) => ok), checks: answers }
}

const grace = 500
const silent: Readiness = { ready: false, checks: { process: { ok: false, reason: 'no answer in time' } } }

/** The same, where whoever asks the dependencies may itself not answer. */
export const withinTime = (read: ReadReadiness, withinMs: number): Promise<Readiness> =>
  within(withinMs + grace, read(withinMs), () => silent)
