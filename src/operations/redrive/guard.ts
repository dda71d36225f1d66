import type { Letter } from './letter.ts'

/** `most`: so often a record may be redriven; `force` waives that. `again`: also what was sent before. */
export type Rules = { readonly most: number; readonly force: boolean; readonly again: boolean }

/** `redriven`: how often the record will have been redriven with this time. */
export type Decision =
  | { readonly kind: 'send'; readonly redriven: number }
  | { readonly kind: 'sent before' }
  | { readonly kind: 'refused'; readonly redriven: number }

/**
 * What becomes of a dead letter that was sent back so often itself. What fails again comes back as a letter of its own with a
 * higher count; together with the letter's own redrives, it bounds what can become of one record, however it is repeated.
 */
export const decide = (
  { redriven }: Pick<Letter, 'redriven'>,
  timesSent: number,
  { most, force, again }: Rules,
): Decision => {
  if (timesSent > 0 && !again) return { kind: 'sent before' }
  const times = redriven + timesSent
  return times >= most && !force ? { kind: 'refused', redriven: times } : { kind: 'send', redriven: times + 1 }
}
