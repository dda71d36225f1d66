import * as E from 'fp-ts/lib/Either.js'
import type { CheckHealth, Failure, Log, Sleep } from '../domain/ports.ts'

type Report = { readonly name: string; readonly created: boolean; readonly differences: ReadonlyArray<string> }

type Deps = {
  readonly ensureTopics: () => Promise<E.Either<Failure, ReadonlyArray<Report>>>
  readonly ensureIndexes: () => Promise<void>
  /** An error in words that may be logged. */
  readonly reasonOf: (error: unknown) => string
  readonly sleep: Sleep
  readonly log: Log
}

/** A broker that has just come up has no leaders for a moment: the first tries are soon, and no news. */
const soonestMs = 50
const latestMs = 1000

/** Creates topics and indexes, again and again until both are there: a server that is away now may come later. */
export const prepare = ({ ensureTopics, ensureIndexes, reasonOf, sleep, log }: Deps, signal: AbortSignal) => {
  const missing = new Set(['topics', 'indexes'])

  const until = async (what: string, attempt: () => Promise<string | undefined>) => {
    for (let retryMs = soonestMs; !signal.aborted; retryMs = Math.min(latestMs, 2 * retryMs)) {
      const reason = await attempt().catch(reasonOf)
      if (reason === undefined) {
        missing.delete(what)
        return
      }
      log[retryMs < latestMs ? 'debug' : 'warn']({ reason }, `the ${what} are not ready yet`)
      await sleep(retryMs, signal)
    }
  }
  const topics = async () => {
    const reports = await ensureTopics()
    if (E.isLeft(reports)) return reports.left.reason
    for (const { name, created, differences } of reports.right)
      if (created) log.info({ topic: name }, 'a topic was created')
      else if (differences.length > 0) log.warn({ topic: name, differences }, 'a topic differs from what is expected')
    return undefined
  }
  const indexes = async () => {
    await ensureIndexes()
    return undefined
  }
  const done = Promise.all([until('topics', topics), until('indexes', indexes)]).then(() => {})
  const health: CheckHealth = () =>
    missing.size === 0 ? { ok: true, reason: 'there' } : { ok: false, reason: `missing: ${[...missing].join(', ')}` }
  return { done, health }
}
