import type { AgentUnavailable } from '../../contracts/events/index.ts'
import type { Instant } from '../../contracts/primitives.ts'
import type { ConversationDocument } from '../../contracts/views/conversation.ts'

type Unanswered = ConversationDocument['unanswered']
type Status = NonNullable<Unanswered[number]['status']>

const kept = 100

/** The conversation with these client messages unanswered, and the oldest of them as the one that is waited for. */
export const withUnanswered = (conversation: ConversationDocument, messages: Unanswered): ConversationDocument => {
  const { awaitingReplySince, awaitingReplyTo, ...rest } = conversation
  const [oldest, ...others] = messages
  if (oldest === undefined) return { ...rest, unanswered: [] }
  const unanswered = [oldest, ...others.slice(1 - kept)]
  return { ...rest, unanswered, awaitingReplySince: oldest.at, awaitingReplyTo: oldest.id }
}

/** The first so many unanswered messages have this status; that an agent was asked for stays. */
export const marked = (conversation: ConversationDocument, count: number, status: Status): ConversationDocument => ({
  ...conversation,
  unanswered: conversation.unanswered.map((message, i) =>
    i < count && message.status !== 'agent-asked' ? { ...message, status } : message,
  ),
})

/** Nothing is left to be said to an AGENT_UNAVAILABLE. */
export const withoutUnheard = ({ unheard, ...conversation }: ConversationDocument): ConversationDocument => conversation

const asked = (conversation: ConversationDocument): ConversationDocument =>
  marked(withoutUnheard(conversation), conversation.unanswered.length, 'agent-asked')

/**
 * An agent was asked for. One that has joined stays, and closed stays closed. A hand-over that was sent (`sentAt`)
 * before the service told that no agent was there is what the service has answered so: its own record comes later.
 */
export const invited = (
  conversation: ConversationDocument,
  time: Instant,
  sentAt: Instant = time,
): ConversationDocument => {
  const { state, unavailableAt } = conversation
  const answered =
    state === 'unavailable' && unavailableAt !== undefined && Date.parse(sentAt) <= Date.parse(unavailableAt)
  const stays = state === 'agent' || state === 'closed' || answered
  return {
    ...(answered ? conversation : asked(conversation)),
    state: stays ? state : 'invited',
    invitedAt: time,
    outcome: 'agent',
  }
}

/** An agent has the conversation, and every message with it. */
export const joined = (conversation: ConversationDocument, time: Instant): ConversationDocument => ({
  ...withUnanswered(withoutUnheard(conversation), []),
  state: conversation.state === 'closed' ? 'closed' : 'agent',
  joinedAt: time,
  outcome: 'agent',
})

/** No agent is there. Whoever had it before, the bot may write again: else the client would be left in silence. */
export const leftWithout = (
  conversation: ConversationDocument,
  { id, time }: Pick<AgentUnavailable, 'id' | 'time'>,
): ConversationDocument =>
  conversation.state === 'closed'
    ? { ...conversation, unavailableAt: time }
    : { ...asked(conversation), state: 'unavailable', unavailableAt: time, unheard: { id, at: time } }

/** The conversation with the time since when nobody has said anything to the client who waits for it. */
export const withSilence = (conversation: ConversationDocument): ConversationDocument => {
  const { silentSince, ...rest } = conversation
  const { state, unanswered, unheard } = rest
  const times = [unanswered.find(({ status }) => status !== 'agent-asked')?.at, unheard?.at].filter(
    (time) => time !== undefined,
  )
  const [first, second = first] = times
  if (first === undefined || second === undefined || (state !== 'bot' && state !== 'unavailable')) return rest
  return { ...rest, silentSince: Date.parse(second) < Date.parse(first) ? second : first }
}
