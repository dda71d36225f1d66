import type { Line } from './chat.ts'

/** Changes a transcript, so that it differs from what was written. */
export type Tamper = (lines: ReadonlyArray<Line>) => ReadonlyArray<Line>

/** The log of chat_finished. The protocol has no type for a bot: its messages are an agent's without `agent_id`. */
export const chatLog = (lines: ReadonlyArray<Line>) =>
  lines.map(({ from, text, at, agentId }) => ({
    message: text,
    timestamp: Math.floor(at / 1000),
    type: from === 'client' ? 'visitor' : 'agent',
    ...(agentId !== undefined && { agent_id: agentId }),
  }))
