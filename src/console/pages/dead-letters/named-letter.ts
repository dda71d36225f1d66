import type { LettersAnswer } from './letters.ts'

type Letter = Pick<LettersAnswer['letters'][number], 'id' | 'appendedAt' | 'earlier'>

/**
 * The letter that the address names: by its id, or by the time at which its record was appended, as the outcome of a
 * reply has it. An earlier failure names its letter too. Undefined if none is named, or if it is not among these letters.
 */
export const namedLetter = <A extends Letter>(
  letters: ReadonlyArray<A>,
  { letter, appended }: { readonly letter: string; readonly appended: string },
): A | undefined => {
  const failures = (each: A) => [each, ...each.earlier]
  if (letter !== '') return letters.find((each) => failures(each).some(({ id }) => id === letter))
  return appended === ''
    ? undefined
    : letters.find((each) => failures(each).some(({ appendedAt }) => appendedAt === appended))
}

/** The query of the page Dead letters that opens the letter of a reply. `reply` leads back to its entry in the story. */
export const letterQuery = (chat: string, requestedAt: string, reply: string): string =>
  new URLSearchParams({
    chat,
    state: 'all',
    ...(requestedAt !== '' && { appended: requestedAt }),
    reply,
  }).toString()
