import type { Log } from '../shared/log.ts'
import { repeat } from '../shared/repeat.ts'
import type { Sleep } from '../shared/time.ts'

const everyMs = 6 * 60 * 60 * 1000
const againMs = 60_000

export type Upkeep = {
  readonly sleep: Sleep
  readonly reasonOf: (error: unknown) => string
  readonly log: Pick<Log, 'debug'>
}

/** Works every six hours, and a minute after a failure, of which `failed` says what could not be done. */
export const upkeep = (
  work: (signal: AbortSignal) => Promise<void>,
  failed: string,
  { sleep, reasonOf, log }: Upkeep,
): (() => Promise<void>) =>
  repeat(async (signal) => {
    const reason = await work(signal).then(() => undefined, reasonOf)
    if (reason === undefined) return everyMs
    log.debug({ reason }, failed)
    return againMs
  }, sleep)
