import type { Id } from '../../../contracts/primitives.ts'
import type { Figure } from '../../../contracts/views/daily-stats.ts'
import { figuresOf, type Measured } from '../../domain/figures.ts'
import type { Lane } from './acts.ts'
import type { Answer } from './judge.ts'

/** The figures of one lane on the comparable turns, by the definitions of contracts/metrics.ts. */
export type LaneFigures = {
  /** How many turns the figures are from. */
  readonly turns: number
  readonly containment: Figure
  readonly handOffRate: Figure
  /** Turns without any reply, of all turns. */
  readonly silence: Figure
  /** In ms, with median (p50) and 95th percentile. Absent for the log: what it measured is another time. */
  readonly responseTimeBot?: Figure
}

const session = (at: Date, turns: ReadonlyArray<Pick<Answer, 'replies' | 'ms'>>): Measured => {
  const answered = turns.filter(({ replies }) => replies.length > 0)
  const isHandedOver = turns.some(({ replies }) => replies.some(({ kind }) => kind === 'hand-over'))
  return {
    _id: '',
    kind: 'bot',
    outcome: isHandedOver ? 'handed-over' : answered.length > 0 ? 'contained' : 'unanswered',
    startedAt: at,
    lastEventAt: at,
    endsAt: at,
    channelId: 'unknown' as Id,
    clientMessages: turns.length,
    turns: answered.length,
    responseTimesMs: answered.map(({ ms }) => ms),
    agents: [],
    invitations: [],
  }
}

/** Collects the figures of a lane, chat by chat. A failed answer counts as none. */
export const laneFigures = (hasTimes: boolean) => {
  const at = new Date(0)
  const chats: Array<{ readonly chatId: string; readonly session: Measured }> = []
  return {
    add: (chatId: string, chat: ReadonlyArray<{ readonly replies: Lane; readonly ms: number }>): void => {
      if (chat.length > 0) chats.push({ chatId, session: session(at, chat) })
    },
    /** Without these chats. */
    all: (without: ReadonlySet<string> = new Set()): LaneFigures => {
      const sessions = chats.flatMap(({ chatId, session }) => (without.has(chatId) ? [] : [session]))
      const { containment, handOffRate, responseTimeBot } = figuresOf(sessions, at, () => false)
      const turns = sessions.reduce((sum, { clientMessages }) => sum + clientMessages, 0)
      const silent = turns - sessions.reduce((sum, session) => sum + session.turns, 0)
      const silence = { numerator: silent, denominator: turns, ...(turns > 0 && { value: silent / turns }) }
      return { turns, containment, handOffRate, silence, ...(hasTimes && { responseTimeBot }) }
    },
  }
}
