import type { Line } from './chat.ts'

/** What a transcript tells otherwise than it was. */
export type Tamper = (lines: ReadonlyArray<Line>) => ReadonlyArray<Line>

/** Changes the n-th line of somebody, from 0. */
const nth =
  (from: Line['from'], n: number, change: (line: Line) => ReadonlyArray<Line>): Tamper =>
  (lines) => {
    const own = lines.filter((line) => line.from === from)
    return lines.flatMap((line) => (line === own[n] ? change(line) : [line]))
  }

/** The transcript lacks it. */
export const losing = (from: Line['from'], n: number): Tamper => nth(from, n, () => [])

/** It has other words. */
export const altering = (from: Line['from'], n: number): Tamper =>
  nth(from, n, (line) => [{ ...line, text: `${line.text}, or so` }])

/** It stands after the next one of the same author. */
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
