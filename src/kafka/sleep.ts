import { setTimeout as delay } from 'node:timers/promises'
import type { Sleep } from '../ports.ts'

export const sleep: Sleep = (ms, signal) => delay(ms, undefined, signal && { signal }).catch(() => undefined)
