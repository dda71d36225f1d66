import type { IncomingRecord } from '../../domain/ports.ts'
import type { State } from '../../mongo/redrives.ts'
import type { Letter } from './letters.ts'

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

/** `redriven`: how often the record will have been redriven with this time. */
export type Decision =
  | { readonly kind: 'send'; readonly redriven: number }
  | { readonly kind: 'sent before' }
  | { readonly kind: 'refused'; readonly why: string }

/** What is known of a letter beside itself: how often it was sent back, and whether it is older than what the view has. */
export type Known = { readonly timesSent: number; readonly outdated: boolean }

/**
 * What becomes of a dead letter. What fails again comes back as a letter of its own with a higher count; together with the
 * letter's own redrives, it bounds what can become of one record, however it is repeated.
 */
export const decide = (
  { redriven }: Pick<Letter, 'redriven'>,
  { timesSent, outdated }: Known,
  { most, force, again, overwrite }: Rules,
): Decision => {
  if (timesSent > 0 && !again) return { kind: 'sent before' }
  const times = redriven + timesSent
  if (times >= most && !force) return { kind: 'refused', why: `redriven ${times} times` }
  if (outdated && !overwrite) return { kind: 'refused', why: 'the view has a newer state, which it would replace' }
  return { kind: 'send', redriven: times + 1 }
}

/** The topics of which a view keeps the last record of each key alone, so that an old record would replace a newer one. */
export const stateTopics = ['clients', 'enrichments'] as const

/**
 * Whether the view may have taken in a newer record than this one. An event tells its time. An enrichment does not: its
 * offset tells, unless it is a copy that was sent back before, which is newer than its content.
 */
export const isOutdated = (
  { origin, redriven }: Pick<Letter, 'origin' | 'redriven'>,
  { headers }: Pick<IncomingRecord, 'headers'>,
  state: State | undefined,
): boolean => {
  if (state === undefined) return false
  if (origin.topic === 'clients') return Date.parse(state.lastEventAt ?? '') > Date.parse(String(headers.ce_time))
  const source = `${origin.topic}/${origin.partition}`
  return Object.entries(state.applied ?? {}).some(
    ([each, offset]) => redriven > 0 || each !== source || offset > origin.offset,
  )
}
