import type { Log } from '../../src/domain/ports.ts'

const nothing = () => {}

export const silent: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
