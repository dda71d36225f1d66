import * as E from 'fp-ts/lib/Either.js'
import type {
  AgentInvited,
  BotReplyDelivered,
  ClientMessageReceived,
  ConversationEvent,
} from '../../../contracts/events/index.ts'
import type { Dated } from '../../../contracts/views/dated.ts'
import { type Invitation, maxOfSession, type SessionDocument, silenceMs } from '../../../contracts/views/session.ts'
import { WireId, WireText } from '../../../contracts/wire.ts'
import { clientOf } from '../domain/conversation-facts.ts'
import { isJsonObject } from '../shared/json.ts'
import type { Guard } from './applied.ts'
import type { Recorded } from './document.ts'
import { later, msBetween } from './fields.ts'
import { begin, evolveSessions, isOver, type Sessions, silentFrom, unknownChannel, withTurn } from './session-chain.ts'

type Invitations = SessionDocument['invitations']

/** The channel as deployed services send it beside the message. The reference does not have it. */
const channelOf = ({ data }: Dated<ClientMessageReceived>) => {
  const channel = data.extra?.channel
  if (!isJsonObject(channel)) return {}
  const [id, type] = [WireId.decode(channel.id), WireText.decode(channel.type)]
  return {
    ...(E.isRight(id) && { channelId: id.right }),
    ...(E.isRight(type) && type.right.trim() !== '' && { channelType: type.right }),
  }
}

const answeredAt = ({ joinedAt, unavailableAt }: Invitation): Date | undefined => joinedAt ?? unavailableAt

const withLast = (invitations: Invitations, last: Invitation): Invitations => [...invitations.slice(0, -1), last]
const withNew = (invitations: Invitations, another: Invitation): Invitations =>
  [...invitations, another].slice(0, maxOfSession.invitations)

const answered = (invitation: Invitation, known: Partial<Invitation>): Invitation => {
  const all = { ...invitation, ...known }
  return { ...all, ...(all.at && all.joinedAt && { queueMs: msBetween(all.at, all.joinedAt) }) }
}

/**
 * An agent was invited. Until there is an answer, a further invitation is the same one again, reported by the service
 * or sent by another party. The log may have the answer before the invitation.
 */
const invited = (invitations: Invitations, by: Invitation['by'], at: Date): Invitations => {
  const last = invitations.at(-1)
  const answer = last && answeredAt(last)
  if (last === undefined || (answer !== undefined && at > answer)) return withNew(invitations, { by, at })
  return last.at === undefined ? withLast(invitations, answered({ ...last, by, at }, {})) : invitations
}

/** Adds the answer to the open invitation, or to one that was not reported. */
const answer = (invitations: Invitations, known: Partial<Invitation>): Invitations => {
  const last = invitations.at(-1)
  return last === undefined || answeredAt(last) !== undefined
    ? withNew(invitations, { by: 'unknown', ...known })
    : withLast(invitations, answered(last, known))
}

const outcomeOf = ({
  invitations,
  replies,
  repliesExpectingMore = 0,
  ending,
}: SessionDocument): SessionDocument['outcome'] => {
  // The invitation that the agent answered may be beyond those that are stored.
  if (ending === 'agent-joined' || invitations.some(({ joinedAt }) => joinedAt !== undefined)) return 'handed-over'
  const last = invitations.at(-1)
  if (last !== undefined) return last.unavailableAt === undefined ? 'abandoned' : 'unavailable'
  return replies > repliesExpectingMore ? 'contained' : 'unanswered'
}

const wrote = (session: SessionDocument, event: Dated<ClientMessageReceived>): SessionDocument => {
  const at = event.time
  const { clientMessages, awaitingSince } = session
  return {
    ...session,
    ...(clientMessages === 0 && { startedAt: at }),
    clientMessages: clientMessages + 1,
    awaitingSince: awaitingSince ?? at,
    ...channelOf(event),
  }
}

/** A message that announces the answer is the first response, but the client waits on for the answer. */
const announced = (session: SessionDocument, at: Date): SessionDocument => {
  const { awaitingSince, firstResponseMs, replies, repliesExpectingMore = 0 } = session
  return {
    ...session,
    replies: replies + 1,
    repliesExpectingMore: repliesExpectingMore + 1,
    ...(firstResponseMs === undefined && awaitingSince && { firstResponseMs: msBetween(awaitingSince, at) }),
  }
}

/** A message of the bot that the service accepted. A message of the bridge itself is not a reply of the bot. */
const replied = (session: SessionDocument, { time, data }: Dated<BotReplyDelivered>): SessionDocument => {
  if (data.expectsMore) return announced(session, time)
  const { awaitingSince, ...rest } = session
  const answered = { ...rest, replies: rest.replies + 1 }
  return awaitingSince === undefined ? answered : withTurn(answered, msBetween(awaitingSince, time))
}

const delivered = (session: SessionDocument, event: Dated<BotReplyDelivered>): SessionDocument => {
  const { because, commandType, attempts } = event.data
  const done = because === undefined ? session : { ...session, interventions: (session.interventions ?? 0) + 1 }
  if (commandType === 'BotMessage') return because === undefined ? replied(done, event) : done
  const at = attempts.at(-1)?.at ?? event.time
  return { ...done, invitations: invited(done.invitations, because === undefined ? 'bot' : 'bridge', at) }
}

const asked = (session: SessionDocument, { data, time }: Dated<AgentInvited>): SessionDocument => ({
  ...session,
  invitations: invited(session.invitations, data.invitedBy, time),
})

const noted = (session: SessionDocument, event: Dated<ConversationEvent>): SessionDocument => {
  const at = event.time
  const { invitations } = session
  switch (event.type) {
    case 'ClientMessageReceived':
      return wrote(session, event)
    case 'AgentInvited':
      return asked(session, event)
    case 'AgentUnavailable':
      return { ...session, invitations: answer(invitations, { unavailableAt: at }) }
    case 'AgentJoined': {
      const { awaitingSince, ...rest } = session
      return {
        ...rest,
        ending: 'agent-joined',
        endedBy: 'agent',
        endsAt: at,
        invitations: answer(invitations, { joinedAt: at }),
      }
    }
    case 'ChatClosed':
      return { ...session, ending: 'closed', endsAt: at, closedAt: at }
    case 'BotReplyDelivered':
      return delivered(session, event)
    case 'BotReplyFailed':
      return { ...session, repliesFailed: (session.repliesFailed ?? 0) + 1 }
    case 'BotReplySuppressed':
      return { ...session, repliesSuppressed: (session.repliesSuppressed ?? 0) + 1 }
  }
}

/** Events after the end: a reply's outcome, an invitation that an agent has already answered, and the closing. */
const notedAfterEnd = (session: SessionDocument, event: Dated<ConversationEvent>): SessionDocument => {
  switch (event.type) {
    case 'ChatClosed':
      return { ...session, closedAt: event.time }
    case 'BotReplyDelivered':
    case 'BotReplyFailed':
    case 'BotReplySuppressed':
      return noted(session, event)
    case 'AgentInvited':
      return session.ending === 'agent-joined' ? asked(session, event) : session
    case 'ClientMessageReceived':
    case 'AgentJoined':
    case 'AgentUnavailable':
      return session
  }
}

/**
 * Whether a client's message begins the next session. After closing and after the silence it does. After an agent has
 * joined, messages go to the agent, until the chat is closed or has been silent itself.
 */
const beginsAnew = (before: SessionDocument, at: Date): boolean =>
  before.ending === 'agent-joined'
    ? before.closedAt !== undefined || msBetween(before.lastEventAt, at) >= silenceMs
    : before.ending !== undefined

/** The previous session at the time of this event: a silent one has ended. */
const unlessSilent = (before: SessionDocument, at: Date): SessionDocument =>
  before.ending === undefined && isOver(before, at) ? { ...before, ending: 'silence' } : before

const fold = (current: SessionDocument | undefined, event: Dated<ConversationEvent>, guard: Guard): SessionDocument => {
  const at = event.time
  const before = current && unlessSilent({ ...current, ...guard }, at)
  const isNext = before === undefined || (event.type === 'ClientMessageReceived' && beginsAnew(before, at))
  const session: SessionDocument = isNext
    ? begin({ kind: 'bot', outcome: 'unanswered', channelId: unknownChannel }, before, event, guard)
    : before
  const seen = { ...session, lastEventAt: later(session.lastEventAt, at), ...clientOf(event) }
  const after = seen.ending === undefined ? noted(seen, event) : notedAfterEnd(seen, event)
  return {
    ...after,
    outcome: outcomeOf(after),
    ...(after.ending === undefined && { endsAt: silentFrom(after.lastEventAt) }),
  }
}

/** The session of a chat that was erased: its client waits for nothing. */
export const settledSession = (session: SessionDocument): SessionDocument => {
  const { awaitingSince, ...rest } = session
  return rest
}

/** The bot sessions of a chat from its events in `bot-conversations`. */
export const evolveBotSessions = (
  current: SessionDocument | undefined,
  recorded: Recorded<ConversationEvent>,
): Sessions => evolveSessions(current, recorded, fold)
