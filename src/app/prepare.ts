import * as E from 'fp-ts/lib/Either.js'
import type { CheckHealth } from '../bridge/domain/checks.ts'
import type { Failure } from '../bridge/domain/log/record.ts'
import { backoff } from '../bridge/shared/backoff.ts'
import type { Log } from '../bridge/shared/log.ts'
import type { Sleep } from '../bridge/shared/time.ts'

/** The current state of a topic. A topic that does not exist has 0 partitions. */
export type Report = {
  readonly name: string
  readonly partitions: number
  readonly created: boolean
  readonly differences: ReadonlyArray<string>
}

type Deps = {
  /** Creates the topics that are missing. */
  readonly ensureTopics: () => Promise<E.Either<Failure, ReadonlyArray<Report>>>
  readonly ensureIndexes: () => Promise<void>
  /** Describes an error for the log, without secrets. */
  readonly reasonOf: (error: unknown) => string
  readonly sleep: Sleep
  readonly log: Log
}

/** A broker has no leaders right after its start. So the first retries are quick and logged only as debug. */
const pauses = { baseMs: 50, capMs: 1_000, jitter: 0 }
/** The interval of the check that creates deleted topics again. */
const checkEveryMs = 5_000
/**
 * The pause after a failed check. The first check after a topic was deleted often fails: kafkajs asks for the metadata
 * of all topics that its client has known, and one of them is missing. The next check has a new client.
 */
const checkAgainMs = 1_000

const describe = ({ name, differences }: Report) => `${name}: ${differences.join(', ')}`

/**
 * Creates topics and indexes, with retries until they exist, because a server may be unavailable at first. After that
 * it creates deleted topics again and reports differences.
 */
export const prepare = ({ ensureTopics, ensureIndexes, reasonOf, sleep, log }: Deps, signal: AbortSignal) => {
  const missing = new Set(['topics', 'indexes'])
  let reports: ReadonlyArray<Report> = []

  const until = async (what: string, attempt: () => Promise<string | undefined>) => {
    for (let failures = 1; !signal.aborted; failures++) {
      const reason = await attempt().catch(reasonOf)
      if (reason === undefined) {
        missing.delete(what)
        return
      }
      const pauseMs = backoff(failures, pauses)
      log[pauseMs < pauses.capMs ? 'debug' : 'warn']({ reason }, `the ${what} are not ready yet`)
      await sleep(pauseMs, signal)
    }
  }
  const differing = () => reports.filter(({ differences }) => differences.length > 0)
  const absent = () => reports.filter(({ partitions }) => partitions === 0)
  const topics = async () => {
    const found = await ensureTopics()
    if (E.isLeft(found)) return found.left.reason
    const known = new Set(differing().map(describe))
    reports = found.right
    const created = reports.flatMap(({ name, created: isNew }) => (isNew ? [name] : []))
    if (created.length > 0) log.info({ topics: created }, 'topics were created')
    for (const report of differing())
      if (!known.has(describe(report)))
        log.warn({ topic: report.name, differences: report.differences }, 'a topic differs from what is expected')
    return absent().length === 0 ? undefined : absent().map(describe).join('; ')
  }
  const indexes = async () => {
    await ensureIndexes()
    return undefined
  }
  const watch = async () => {
    let pauseMs = checkEveryMs
    while (!signal.aborted) {
      await sleep(pauseMs, signal)
      if (signal.aborted) return
      const problem = await topics().catch(reasonOf)
      pauseMs = problem === undefined ? checkEveryMs : checkAgainMs
    }
  }
  const done = Promise.all([until('topics', topics), until('indexes', indexes)]).then(() => void watch())
  const health: CheckHealth = () => {
    const differences = differing().map(describe).join('; ')
    if (missing.size > 0)
      return { ok: false, reason: `missing: ${[...missing].join(', ')}${differences && `; ${differences}`}` }
    return { ok: absent().length === 0, reason: differences || 'all topics and indexes exist' }
  }
  return { done, health, reports: () => reports }
}
