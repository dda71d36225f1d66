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
  viewed: nothing,
  delivery: nothing,
  attempt: nothing,
  answered: nothing,
  duplicateCommand: nothing,
  commandGone: nothing,
  deadLetter: nothing,
  overdue: nothing,
  quarantined: nothing,
  misfit: nothing,
  idReused: nothing,
}
