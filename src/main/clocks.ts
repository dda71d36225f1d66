import type { Instant } from '../../contracts/primitives.ts'
import type { Now } from '../ports.ts'

export const now: Now = () => new Date().toISOString() as Instant
export const monotonic = (): number => performance.now()

export { sleep } from '../kafka/sleep.ts'
