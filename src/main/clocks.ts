import { setTimeout as wait } from 'node:timers/promises'
import type { Instant } from '../../contracts/primitives.ts'
import type { Now, Sleep } from '../ports.ts'

export const now: Now = () => new Date().toISOString() as Instant
export const monotonic = (): number => performance.now()
export const sleep: Sleep = (ms, signal) => wait(ms, undefined, signal && { signal }).catch(() => {})
