import * as E from 'fp-ts/lib/Either.js'
import type {
  AgentInvited,
  BotReplyDelivered,
  ClientMessageReceived,
  ConversationEvent,
} from '../../../contracts/events/index.ts'
import type { Dated } from '../../../contracts/views/dated.ts'
import { type Invitation, maxOfSession, type SessionDocument } from '../../../contracts/views/session.ts'
import { WireId, WireText } from '../../../contracts/wire.ts'
import { silentFrom, takenReasonAt } from '../domain/conversation.ts'
import { clientOf, deliveredAt } from '../domain/conversation-facts.ts'
import { isJsonObject } from '../shared/json.ts'
import type { Guard } from './applied.ts'
import type { Recorded } from './document.ts'
import { later, msBetween } from './fields.ts'
import { begin, evolveSessions, isOver, type Sessions, unknownChannel, withTurn } from './session-chain.ts'

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

const answeredInvitation = (invitation: Invitation, known: Partial<Invitation>): Invitation => {
  const all = { ...invitation, ...known }
  return { ...all, ...(all.at && all.joinedAt && { queueMs: msBetween(all.at, all.joinedAt) }) }
}

/**
 * An agent was invited. Until there is an answer, a further invitation is the same one again, reported by the service
 * or sent by another party. The log may have the answer before the invitation.
 */
const withInvitation = (invitations: Invitations, by: Invitation['by'], at: Date): Invitations => {
  const last = invitations.at(-1)
  const answer = last && answeredAt(last)
  if (last === undefined || (answer !== undefined && at > answer)) return withNew(invitations, { by, at })
  return last.at === undefined ? withLast(invitations, answeredInvitation({ ...last, by, at }, {})) : invitations
}

/** Adds the answer to the open invitation, or to one that was not reported. */
const withAnswer = (invitations: Invitations, known: Partial<Invitation>): Invitations => {
  const last = invitations.at(-1)
  return last === undefined || answeredAt(last) !== undefined
    ? withNew(invitations, { by: 'unknown', ...known })
    : withLast(invitations, answeredInvitation(last, known))
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

const withClientMessage = (session: SessionDocument, event: Dated<ClientMessageReceived>): SessionDocument => {
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
const withAnnouncement = (session: SessionDocument, at: Date): SessionDocument => {
  const { awaitingSince, firstResponseMs, replies, repliesExpectingMore = 0 } = session
  return {
    ...session,
    replies: replies + 1,
    repliesExpectingMore: repliesExpectingMore + 1,
    ...(firstResponseMs === undefined && awaitingSince && { firstResponseMs: msBetween(awaitingSince, at) }),
  }
}

/** A message of the bot that the service accepted. A message of the bridge itself is not a reply of the bot. */
const withReply = (session: SessionDocument, { time, data }: Dated<BotReplyDelivered>): SessionDocument => {
  if (data.expectsMore) return withAnnouncement(session, time)
  const { awaitingSince, ...rest } = session
  const answered = { ...rest, replies: rest.replies + 1 }
  return awaitingSince === undefined ? answered : withTurn(answered, msBetween(awaitingSince, time))
}

const withDelivered = (session: SessionDocument, event: Dated<BotReplyDelivered>): SessionDocument => {
  const { because, commandType } = event.data
  const done = because === undefined ? session : { ...session, interventions: (session.interventions ?? 0) + 1 }
  if (commandType === 'BotMessage') return because === undefined ? withReply(done, event) : done
  const by = because === undefined ? 'bot' : 'bridge'
  return { ...done, invitations: withInvitation(done.invitations, by, deliveredAt(event)) }
}

const withAgentInvited = (session: SessionDocument, { data, time }: Dated<AgentInvited>): SessionDocument => ({
  ...session,
  invitations: withInvitation(session.invitations, data.invitedBy, time),
})

const whileOpen = (session: SessionDocument, event: Dated<ConversationEvent>): SessionDocument => {
  const at = event.time
  const { invitations } = session
  switch (event.type) {
    case 'ClientMessageReceived':
      return withClientMessage(session, event)
    case 'AgentInvited':
      return withAgentInvited(session, event)
    case 'AgentUnavailable':
      return { ...session, invitations: withAnswer(invitations, { unavailableAt: at }) }
    case 'AgentJoined': {
      const { awaitingSince, ...rest } = session
      return {
        ...rest,
        ending: 'agent-joined',
        endedBy: 'agent',
        endsAt: at,
        invitations: withAnswer(invitations, { joinedAt: at }),
      }
    }
    case 'ChatClosed':
      return { ...session, ending: 'closed', endsAt: at, closedAt: at }
    case 'BotReplyDelivered':
      return withDelivered(session, event)
    case 'BotReplyFailed':
      return { ...session, repliesFailed: (session.repliesFailed ?? 0) + 1 }
    case 'BotReplySuppressed':
      return { ...session, repliesSuppressed: (session.repliesSuppressed ?? 0) + 1 }
  }
}

/** Events after the end: a reply's outcome, an invitation that an agent has already answered, and the closing. */
const afterEnd = (session: SessionDocument, event: Dated<ConversationEvent>): SessionDocument => {
  switch (event.type) {
    case 'ChatClosed':
      return { ...session, closedAt: event.time }
    case 'BotReplyDelivered':
    case 'BotReplyFailed':
    case 'BotReplySuppressed':
      return whileOpen(session, event)
    case 'AgentInvited':
      return session.ending === 'agent-joined' ? withAgentInvited(session, event) : session
    case 'ClientMessageReceived':
    case 'AgentJoined':
    case 'AgentUnavailable':
      return session
  }
}

/** Whether an agent has the conversation, as it would be decided for a reply: until it is closed, or silent for a day. */
const isAgentsAt = ({ ending, closedAt, lastEventAt }: SessionDocument, at: Date): boolean =>
  ending === 'agent-joined' &&
  takenReasonAt({ state: closedAt === undefined ? 'agent' : 'closed', heldUntil: silentFrom(lastEventAt) }, at) ===
    'agent-joined'

/** Whether a client's message begins the next session. While an agent has the conversation, it goes to the agent. */
const beginsAnew = (before: SessionDocument, at: Date): boolean =>
  before.ending !== undefined && !isAgentsAt(before, at)

/** The previous session at the time of this event: a silent one has ended. */
const endedIfSilent = (before: SessionDocument, at: Date): SessionDocument =>
  before.ending === undefined && isOver(before, at) ? { ...before, ending: 'silence' } : before

const fold = (current: SessionDocument | undefined, event: Dated<ConversationEvent>, guard: Guard): SessionDocument => {
  const at = event.time
  const before = current && endedIfSilent({ ...current, ...guard }, at)
  const isNext = before === undefined || (event.type === 'ClientMessageReceived' && beginsAnew(before, at))
  const session: SessionDocument = isNext
    ? begin({ kind: 'bot', outcome: 'unanswered', channelId: unknownChannel }, before, event, guard)
    : before
  const seen = { ...session, lastEventAt: later(session.lastEventAt, at), ...clientOf(event) }
  const after = seen.ending === undefined ? whileOpen(seen, event) : afterEnd(seen, event)
  return {
    ...after,
    outcome: outcomeOf(after),
    ...(after.ending === undefined && { endsAt: silentFrom(after.lastEventAt) }),
  }
}

/** The session of a chat that was erased: its client waits for nothing. */
export const withoutWaitingClient = (session: SessionDocument): SessionDocument => {
  const { awaitingSince, ...rest } = session
  return rest
}

/** The bot sessions of a chat from its events in `bot-conversations`. */
export const evolveBotSessions = (
  current: SessionDocument | undefined,
  recorded: Recorded<ConversationEvent>,
): Sessions => evolveSessions(current, recorded, fold)
