import type { Log, Measure } from './ports.ts'

const nothing = () => {}

export const silent: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }

export const unmeasured: Measure = {
  request: nothing,
  published: nothing,
  produced: nothing,
  produceFailed: nothing,
  consumed: nothing,
  partitionLeft: nothing,
  consumerRestarted: nothing,
  projected: nothing,
  delivery: nothing,
  attempt: nothing,
  duplicateCommand: nothing,
  deadLetter: nothing,
  quarantined: nothing,
}
