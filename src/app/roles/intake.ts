import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { Health } from '../../bridge/domain/checks.ts'
import { now } from '../../bridge/domain/clock.ts'
import type { Append, OutgoingRecord, PublishWithFallback } from '../../bridge/domain/log/record.ts'
import type { Measure } from '../../bridge/domain/metrics.ts'
import { type FallbackState, publishWithFallback } from '../../bridge/journal/fallback.ts'
import { journalHealth } from '../../bridge/journal/health.ts'
import { sumOf } from '../../bridge/journal/journal.ts'
import { openJournals, type Unusable } from '../../bridge/journal/journals.ts'
import { drainOrphans, type OrphansState } from '../../bridge/journal/orphans.ts'
import { ofJournal } from '../../bridge/kafka/dead-letters.ts'
import type { KafkaPorts } from '../../bridge/kafka/kafka.ts'
import { toRecord } from '../../bridge/kafka/records.ts'
import type { Log } from '../../bridge/shared/log.ts'
import { sleep } from '../../bridge/shared/time.ts'

export type Intake = {
  readonly publish: PublishWithFallback
  readonly append: Append
  readonly state: () => FallbackState & { readonly orphans: OrphansState }
  readonly health: () => Health
  /** Free bytes for this user on the journal's disk; NaN if the folder cannot be read. */
  readonly freeBytes: () => Promise<number>
  readonly stop: () => Promise<void>
}

type Deps = {
  readonly kafka: KafkaPorts
  readonly dataDir: string
  readonly maxBytes: number
  readonly measure: Measure
  readonly log: Log
}

/** Without Kafka's acknowledgement in this time, the topic fails over. It is below the timeouts of both interfaces. */
const budgetMs = 1000

const bytes = (part: string | Buffer | null) => (typeof part === 'string' ? Buffer.from(part) : part)

const whatToDo = ({ dir, reason }: Unusable) =>
  `The journal in ${dir} cannot be opened (${reason}). It may hold events that were answered 200. Repair it, or move the ` +
  'folder to another place and keep it, or set DATA_DIR to another folder. Then start again.'

/**
 * Ingress publishes decoded requests here: to Kafka, or to the journal while Kafka does not accept records of that
 * topic. A journal that cannot be opened may hold events that were answered 200, so the start fails. Left: what the
 * operator must do.
 */
export const openIntake = async (deps: Deps): Promise<E.Either<string, Intake>> => {
  const { kafka, measure, log, dataDir, maxBytes } = deps
  const dir = join(dataDir, 'journal')
  const opened = await openJournals({ dir, maxBytes, now, log })
  if (E.isLeft(opened)) return E.left(whatToDo(opened.left))
  const { own, adopt, close } = opened.right
  const { orphans: found, unusable } = await adopt()
  if (unusable[0] !== undefined) {
    await Promise.all(found.map((orphan) => orphan.close()))
    await close()
    return E.left(whatToDo(unusable[0]))
  }
  const keep = kafka.deadLetter(ofJournal)
  const reject = ({ topic, key, value, headers }: OutgoingRecord, reason: string) =>
    keep(
      {
        topic,
        partition: 0,
        offset: 0,
        timestamp: Date.now(),
        key: bytes(key),
        value: bytes(value),
        headers: Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, Buffer.from(header)])),
      },
      'refused-by-kafka',
      reason,
    )
  const ports = { append: kafka.append, reject, log, sleep, random: Math.random }
  const fallback = publishWithFallback(own, { ...ports, budgetMs })
  const orphans = drainOrphans(found, { ...ports, adopt })
  const state = () => {
    const [mine, others] = [fallback.state(), orphans.state()]
    return {
      ...mine,
      damaged: sumOf([mine, { ...others, bytes: 0 }]).damaged,
      orphans: others,
    }
  }
  return E.right({
    state,
    health: () => journalHealth(state(), Date.now()),
    // Operators need the other metrics most when this volume is missing, so do not throw.
    freeBytes: () =>
      statfs(dir).then(
        ({ bavail, bsize }) => bavail * bsize,
        () => Number.NaN,
      ),
    stop: async () => {
      await Promise.all([fallback.stop(), orphans.stop()])
      await close()
    },
    append: async (record, withinMs) => E.map(() => undefined)(await fallback.publish(record, withinMs)),
    publish: async (event, withinMs, dataJson) => {
      const published = await fallback.publish(toRecord(event, dataJson), withinMs)
      if (E.isRight(published)) measure.published(event.type)
      return published
    },
  })
}
