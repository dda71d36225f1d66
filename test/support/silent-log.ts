import type { Log } from '../../src/bridge/shared/log.ts'

const nothing = () => {}

export const silent: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
