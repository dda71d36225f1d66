import type { Log } from './ports.ts'

export { unmeasured } from './metrics.ts'

const nothing = () => {}

export const silent: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
