import { checkNamed } from '../domain/checks.ts'
import type { Health } from '../domain/ports.ts'

export type HealthState = 'works' | 'degraded' | 'down'

export const healthState = (name: string, { ok, isLimited }: Health): HealthState => {
  if (ok) return isLimited ? 'degraded' : 'works'
  return checkNamed(name)?.isSpared ? 'degraded' : 'down'
}

/** What the state of a part means for users. */
export const healthWords = (name: string, state: HealthState): string =>
  state === 'works' ? 'In order.' : (checkNamed(name)?.effect ?? 'A part of the bridge does not work as it should.')
