import type { LettersAnswer, RedriveLine } from '../answers.ts'
import { count } from './format.ts'

type Letter = Pick<LettersAnswer['letters'][number], 'earlier'>

export type RedriveEnd = Extract<RedriveLine, { end: unknown }>['end']

/** `isOver`: everything that was sent has been processed, or has failed again. */
export type Outcome = {
  readonly sent: number
  readonly failed: number
  readonly isAwaited: boolean
  readonly isOver: boolean
}

/** How many of these letters have failed again: each is now an earlier failure of another letter. */
export const failedAgain = (ids: ReadonlyArray<string>, letters: ReadonlyArray<Letter>): number => {
  const asked = new Set(ids)
  return letters.filter(({ earlier }) => earlier.some(({ id }) => asked.has(id))).length
}

/** What became of letters that were sent again, as far as it is known. */
export const outcomeWords = ({ sent, failed, isAwaited, isOver }: Outcome): string => {
  if (failed >= sent) return `${sent === 1 ? 'It' : `All ${count(sent)}`} failed again. Fix the cause first.`
  const some = `${count(failed)} failed again`
  if (isOver) return failed === 0 ? 'None failed again.' : `${some}, and ${count(sent - failed)} did not.`
  const soFar = failed === 0 ? 'None has failed again so far.' : `${some} so far.`
  return `${soFar} ${isAwaited ? 'Waiting for the result…' : 'The others are not processed yet.'}`
}
