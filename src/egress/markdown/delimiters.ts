/** A run of one delimiter character, and whether it can open or close what it delimits (CommonMark 0.31, 6.2). */
export type DelimiterRun = {
  readonly index: number
  readonly char: string
  readonly length: number
  readonly opens: boolean
  readonly closes: boolean
}

const isSpace = (char: string) => char === '' || /\s/.test(char)
const isPunctuation = (char: string) => /[\p{P}\p{S}]/u.test(char)

const runAt = (text: string, index: number, run: string): DelimiterRun => {
  const before = text.slice(0, index).slice(-1)
  const after = text.slice(index + run.length, index + run.length + 1)
  const left = !isSpace(after) && (!isPunctuation(after) || isSpace(before) || isPunctuation(before))
  const right = !isSpace(before) && (!isPunctuation(before) || isSpace(after) || isPunctuation(after))
  const inWord = run.startsWith('_')
  return {
    index,
    char: run.charAt(0),
    length: run.length,
    opens: left && (!inWord || !right || isPunctuation(before)),
    closes: right && (!inWord || !left || isPunctuation(after)),
  }
}

/** All runs of the delimiters, given as a global pattern, in a text. */
export const delimiterRuns = (text: string, pattern: RegExp): ReadonlyArray<DelimiterRun> =>
  [...text.matchAll(pattern)].map((match) => runAt(text, match.index, match[0]))
