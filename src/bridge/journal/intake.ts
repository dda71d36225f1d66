import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { quarantine, type TopicName } from '../../../contracts/topics.ts'
import type { Health } from '../domain/checks.ts'
import type { Now } from '../domain/clock.ts'
import type { Log } from '../shared/log.ts'
import type { Sleep } from '../shared/time.ts'
import type { Reject, Send } from './drain.ts'
import { transient } from './failover.ts'
import { type AppendWithFallback, appendWithFallback, type FallbackState } from './fallback.ts'
import { sumOf } from './journal.ts'
import { openJournals, type Unusable } from './journals.ts'
import { drainOrphans, type OrphansState } from './orphans.ts'

/** Kafka's last answer to a record of the topic: it will never accept the record. `at` in ms since 1970. */
type Refusal = { readonly topic: TopicName; readonly reason: string; readonly at: number }

type IntakeState = FallbackState & { readonly orphans: OrphansState; readonly refusals: ReadonlyArray<Refusal> }

/** What the journal offers to other rooms: to Kafka or, while Kafka does not accept records of a topic, to the disk. */
export type Intake = {
  readonly append: AppendWithFallback
  readonly state: () => IntakeState
  readonly health: () => Health
  /** Free bytes for this user on the journal's disk; NaN if the folder cannot be read. */
  readonly freeBytes: () => Promise<number>
  readonly stop: () => Promise<void>
}

export type Options = {
  /** The folder `journal` below it is the journal's. */
  readonly dataDir: string
  readonly maxBytes: number
  readonly send: Send
  readonly reject: Reject
  /** How long Kafka may need for a record before its topic fails over. Default: a second. */
  readonly budgetMs?: number
  readonly now: Now
  readonly sleep: Sleep
  readonly log: Log
}

/** It is below the timeouts of both interfaces. */
const usualBudgetMs = 1000

const whatToDo = ({ dir, reason }: Unusable) =>
  `The journal in ${dir} cannot be opened (${reason}). It may hold events that were answered 200. Repair it, or move the ` +
  'folder to another place and keep it, or set DATA_DIR to another folder. Then start again.'

/** A process that is not ready gets no requests, so it must become ready again to learn that a topic was corrected. */
const notReadyForMs = 60_000

/**
 * Not ready when Kafka and the journal both refuse records, or Kafka refuses what would be kept in quarantine: then
 * requests are kept nowhere. `now` is in ms since 1970.
 */
export const journalHealth = (state: IntakeState, now: number): Health => {
  const { failedOver, refused, records, bytes, oldestAt = 0, damaged, orphans, refusals } = state
  const age = records > 0 ? `, the oldest for ${Math.max(0, Math.round((now - oldestAt) / 1000))} s` : ''
  const depth = `${records} records wait in the journal (${bytes} bytes)${age}`
  const full = refused ? '; the journal is full or cannot be written' : ''
  const isAway = failedOver.length > 0
  const keepsNone = refusals.find(({ topic }) => topic === quarantine.name)
  const kept = keepsNone === undefined ? 'their requests are kept in quarantine' : 'nothing is kept of their requests'
  const wrong = [
    ...refusals.map(({ topic, reason: why }) => `Kafka refuses records of ${topic} for good (${why})`),
    ...(refusals.length > 0 ? [`${kept}: correct the topic, see livechat-bridge topics`] : []),
    ...(damaged.places > 0 ? [`${damaged.places} damaged places have been set aside`] : []),
    ...(orphans.journals > 0
      ? [`journals without a process: ${orphans.journals}, with ${orphans.records} records`]
      : []),
    ...orphans.unusable.map(({ dir, reason }) => `${dir} cannot be opened (${reason})`),
  ]
  const where = isAway
    ? `Kafka does not accept records of ${failedOver.join(', ')}: ${depth}${full}`
    : 'records go to Kafka'
  const reason = [where, ...wrong].join('; ')
  const isRefusedNow = keepsNone !== undefined && now - keepsNone.at < notReadyForMs
  if ((isAway && refused) || isRefusedNow) return { ok: false, reason }
  return isAway || wrong.length > 0 ? { ok: true, isLimited: true, reason } : { ok: true, reason }
}

/**
 * Opens this process's journals and those that ended processes have left. A journal that cannot be opened may hold
 * events that were answered 200, so the start fails. Left: what the operator must do.
 */
export const openIntake = async (options: Options): Promise<E.Either<string, Intake>> => {
  const { dataDir, maxBytes, budgetMs = usualBudgetMs, now, log } = options
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
  // Whatever happens in the producer, the journal has the record.
  const send: Send = async (record) => {
    try {
      return await options.send(record)
    } catch {
      return transient('the producer has failed')
    }
  }
  const given = { ...options, send, random: Math.random }
  const fallback = appendWithFallback(own, { ...given, budgetMs })
  const refusals = new Map<TopicName, Refusal>()
  const append: AppendWithFallback = async (record, withinMs) => {
    const { topic } = record
    const outcome = await fallback.append(record, withinMs)
    if (E.isLeft(outcome) && outcome.left.kind === 'permanent')
      refusals.set(topic, { topic, reason: outcome.left.reason, at: Date.now() })
    else if (E.isRight(outcome) && outcome.right === 'kafka') refusals.delete(topic)
    return outcome
  }
  const orphans = drainOrphans(found, { ...given, adopt })
  const state = () => {
    const [mine, others] = [fallback.state(), orphans.state()]
    return {
      ...mine,
      damaged: sumOf([mine, { ...others, bytes: 0 }]).damaged,
      orphans: others,
      refusals: [...refusals.values()],
    }
  }
  return E.right({
    append,
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
  })
}
