import { now } from '../../bridge/domain/clock.ts'
import { silentPersonsIn } from '../../bridge/mongo/silent-persons.ts'
import { actionRecorder } from '../../bridge/operations/audit.ts'
import { retainedBy } from '../../bridge/privacy/retain-days/erase-due.ts'
import { startRetaining } from '../../bridge/privacy/retain-days/retain.ts'
import { appendedSinceIn } from '../../bridge/privacy/retain-days/silent-person.ts'
import { viewsAreCurrentIn } from '../../bridge/privacy/views-current.ts'
import { sleep } from '../../bridge/shared/time.ts'
import { type Part, type Ports, scrapeWithinMs, serverReasonOf } from '../ports.ts'

/** The gauge of persons who should be erased by `privacy.retainDays`. */
export const watchRetainDays = ({ settings, mongo, metrics }: Ports): void => {
  const limited = settings.accounts.flatMap(({ id, retainDays }) => (retainDays === undefined ? [] : [id]))
  const { retainStates } = mongo.query(silentPersonsIn)
  metrics.watch('erasuresWaiting', async () => ({
    accounts: limited,
    states: await retainStates(scrapeWithinMs),
  }))
}

/** Erases persons without an event for `privacy.retainDays` of their account. Undefined if no account sets it. */
export const startRetainDays = ({ settings, kafka, mongo, erasures, log }: Ports): Part | undefined => {
  const { accounts, retentionDays } = settings
  const limited = accounts.flatMap(({ id, retainDays }) => (retainDays === undefined ? [] : [{ id, retainDays }]))
  if (limited.length === 0) return undefined
  const { health, stop } = startRetaining(limited, {
    kafka,
    erasures,
    silentPersons: mongo.query(silentPersonsIn),
    clock: () => new Date(),
    sleep,
    log,
    reasonOf: serverReasonOf,
    recordAction: actionRecorder(kafka.append, now, retainedBy),
    viewsAreCurrent: viewsAreCurrentIn(kafka, Date.now),
    appendedSince: appendedSinceIn(kafka),
    retention: { retentionDays },
  })
  return { checks: { 'privacy.retainDays': health }, stop }
}
