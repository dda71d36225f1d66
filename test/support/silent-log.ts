import type { Log } from '../../src/bridge/domain/ports.ts'

const nothing = () => {}

export const silent: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
