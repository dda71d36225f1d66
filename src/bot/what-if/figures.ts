import type { Figure } from '../../../contracts/views/daily-stats.ts'
import { figuresOf, type Measured } from '../../bridge/domain/figures.ts'
import { unknownChannel } from '../../bridge/views/session-chain.ts'
import type { Acts } from './acts.ts'

/** The figures of one answer on the comparable turns, by the definitions of contracts/metrics.ts. */
export type AnswerFigures = {
  /** How many turns the figures are from. */
  readonly turns: number
  readonly containment: Figure
  readonly handOffRate: Figure
  /** Turns without any reply, of all turns. */
  readonly silence: Figure
  /** In ms, with median (p50) and 95th percentile. Absent for the log: what it measured is another time. */
  readonly responseTimeBot?: Figure
}

const at = new Date(0)

/** What is answered in a chat, as a session of the bot. An answer that failed is none. */
export const sessionOf = (
  turns: ReadonlyArray<{ readonly replies: Acts; readonly failing?: unknown; readonly ms: number }>,
): Measured => {
  const answered = turns.filter(({ replies, failing }) => replies.length > 0 && failing === undefined)
  const isHandedOver = answered.some(({ replies }) => replies.some(({ kind }) => kind === 'hand-over'))
  return {
    _id: '',
    kind: 'bot',
    outcome: isHandedOver ? 'handed-over' : answered.length > 0 ? 'contained' : 'unanswered',
    startedAt: at,
    lastEventAt: at,
    endsAt: at,
    channelId: unknownChannel,
    clientMessages: turns.length,
    turns: answered.length,
    responseTimesMs: answered.map(({ ms }) => ms),
    agents: [],
    invitations: [],
  }
}

/** The figures of an answer from its sessions, one for each chat. */
export const answerFigures = (chats: ReadonlyArray<Measured>, hasTimes: boolean): AnswerFigures => {
  const sessions = chats.filter(({ clientMessages }) => clientMessages > 0)
  const { containment, handOffRate, responseTimeBot } = figuresOf(sessions, at, () => false)
  const turns = sessions.reduce((sum, { clientMessages }) => sum + clientMessages, 0)
  const silent = turns - sessions.reduce((sum, session) => sum + session.turns, 0)
  const silence = { numerator: silent, denominator: turns, ...(turns > 0 && { value: silent / turns }) }
  return { turns, containment, handOffRate, silence, ...(hasTimes && { responseTimeBot }) }
}
