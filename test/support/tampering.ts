import type { Line } from '../../src/tools/simulator/chat.ts'
import type { Tamper } from '../../src/tools/simulator/transcript.ts'

/** Changes the n-th line of an author, counted from 0. */
const nth =
  (from: Line['from'], n: number, change: (line: Line) => ReadonlyArray<Line>): Tamper =>
  (lines) => {
    const own = lines.filter((line) => line.from === from)
    return lines.flatMap((line) => (line === own[n] ? change(line) : [line]))
  }

/** The transcript lacks the line. */
export const losing = (from: Line['from'], n: number): Tamper => nth(from, n, () => [])

/** The line has other words. */
export const altering = (from: Line['from'], n: number): Tamper =>
  nth(from, n, (line) => [{ ...line, text: `${line.text}, or so` }])

/** The line comes after the next one of the same author. */
export const reordering =
  (from: Line['from'], n: number): Tamper =>
  (lines) => {
    const own = lines.filter((line) => line.from === from)
    const [one, next] = [own[n], own[n + 1]]
    return one === undefined || next === undefined
      ? lines
      : losing(from, n)(lines).flatMap((line) => (line === next ? [line, one] : [line]))
  }
