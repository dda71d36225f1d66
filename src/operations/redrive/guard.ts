import * as E from 'fp-ts/lib/Either.js'
import { clients, enrichments } from '../../../contracts/topics.ts'
import type { IncomingRecord } from '../../domain/ports.ts'
import type { ErasedKey } from '../../mongo/erasures.ts'
import type { State } from '../../mongo/redrives.ts'
import type { NotSent } from './batches.ts'
import type { StoredDeadLetter } from './dead-letters.ts'

/**
 * `most`: so often a record may be redriven; `force` waives that. `again`: also what was sent before. `overwrite`: also what
 * is older than what the view has.
 */
export type Rules = {
  readonly most: number
  readonly force: boolean
  readonly again: boolean
  readonly overwrite: boolean
}

/**
 * What is known of a dead letter beside itself: how often it was sent back, whether it is older than what the view has, and whether its
 * chat, client or enrichment was erased since.
 */
export type Known = { readonly timesSent: number; readonly outdated: boolean; readonly erased: boolean }

export const erasedSince = 'the person was erased since'

/** What an erasure would name the key of a record. */
export const erasedKeyOf = (topic: string, key: string): ErasedKey => {
  if (topic === clients.name) return { of: 'client', key }
  return { of: topic === enrichments.name ? 'enrichment' : 'chat', key }
}

/**
 * What becomes of a dead letter; Right: how often its record will have been redriven with this time. What fails again comes back as a dead letter of its own with a higher count; together with the
 * dead letter's own redrives, it bounds what can become of one record, however it is repeated.
 */
export const decide = (
  { redriven }: Pick<StoredDeadLetter, 'redriven'>,
  { timesSent, outdated, erased }: Known,
  { most, force, again, overwrite }: Rules,
): E.Either<NotSent, number> => {
  if (erased) return E.left({ result: 'kept', why: erasedSince })
  if (timesSent > 0 && !again) return E.left({ result: 'before' })
  const times = redriven + timesSent
  if (times >= most && !force) return E.left({ result: 'kept', why: `redriven ${times} times` })
  if (outdated && !overwrite)
    return E.left({ result: 'kept', why: 'the view has a newer state, which it would replace' })
  return E.right(times + 1)
}

/** The topics of which a view keeps the last record of each key alone, so that an old record would replace a newer one. */
export const stateTopics = ['clients', 'enrichments'] as const

/**
 * Whether the view may have taken in a newer record than this one. An event tells its time. An enrichment does not: its
 * offset tells, unless it is a copy that was sent back before, which is newer than its content.
 */
export const isOutdated = (
  { origin, redriven }: Pick<StoredDeadLetter, 'origin' | 'redriven'>,
  { headers }: Pick<IncomingRecord, 'headers'>,
  state: State | undefined,
): boolean => {
  if (state === undefined) return false
  if (origin.topic === 'clients') return Number(state.lastEventAt) > Date.parse(String(headers.ce_time))
  const source = `${origin.topic}/${origin.partition}`
  return Object.entries(state.applied ?? {}).some(
    ([each, offset]) => redriven > 0 || each !== source || offset > origin.offset,
  )
}
