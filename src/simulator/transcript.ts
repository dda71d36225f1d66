import type { Line } from './chat.ts'

/** Changes a transcript, so that it differs from what was written. */
export type Tamper = (lines: ReadonlyArray<Line>) => ReadonlyArray<Line>

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

/** The log of chat_finished. The protocol has no type for a bot: its messages are an agent's without `agent_id`. */
export const chatLog = (lines: ReadonlyArray<Line>) =>
  lines.map(({ from, text, at, agentId }) => ({
    message: text,
    timestamp: Math.floor(at / 1000),
    type: from === 'client' ? 'visitor' : 'agent',
    ...(agentId !== undefined && { agent_id: agentId }),
  }))
