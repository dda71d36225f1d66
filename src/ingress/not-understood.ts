import { describe, type Problem } from '../../contracts/problem.ts'

/** Why a body could not be made an event: how it was sent, what is in it, or that nobody knows its event. */
export type NotUnderstood =
  | { readonly kind: 'media-type'; readonly problem: Problem }
  | { readonly kind: 'invalid'; readonly problems: ReadonlyArray<Problem> }
  | { readonly kind: 'unknown-event' }

/** In words: fields and what was expected, never what was sent. */
export const inWords = (reason: NotUnderstood): string => {
  switch (reason.kind) {
    case 'media-type':
      return describe([reason.problem])
    case 'invalid':
      return describe(reason.problems)
    case 'unknown-event':
      return 'an event that is not known'
  }
}
