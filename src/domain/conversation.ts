import type { Id } from '../../contracts/primitives.ts'
import { mostSeen } from '../../contracts/views/applied.ts'
import type { ConversationDocument } from '../../contracts/views/conversation.ts'
import type { Fact, Finished } from './conversation-facts.ts'

/**
 * The part of a conversation (contracts/views/conversation.ts) that decides who has it and who waits. The views store
 * more fields. Egress decides with this part whether a reply may be sent, and the watchdog finds in it who waits.
 */
export type Conversation = Pick<
  ConversationDocument,
  'state' | 'unanswered' | 'seen' | 'unheard' | 'unavailableAt' | 'lastClientMessageId' | 'clientId'
>
type Status = NonNullable<Conversation['unanswered'][number]['status']>

export const unknownConversation: Conversation = { state: 'bot', unanswered: [], seen: [] }

const mostUnanswered = 100

/** Sets the status of the first `count` unanswered messages. A message with status `agent-asked` keeps it. */
const marked = <C extends Conversation>(current: C, count: number, status: Status): C => ({
  ...current,
  unanswered: current.unanswered.map((message, i) =>
    i < count && message.status !== 'agent-asked' ? { ...message, status } : message,
  ),
})

/**
 * `unheard` is the newest AGENT_UNAVAILABLE after which neither the bot nor the bridge has written. Without it, the
 * client needs no message about AGENT_UNAVAILABLE.
 */
const withoutUnheard = <C extends Conversation>(current: C): C => {
  const { unheard: _, ...rest } = current
  return rest as C
}

/** The chat was erased: what the client wrote before is gone, so nobody waits for an answer to it. */
export const withoutWaiting = <C extends Conversation>(current: C): C => ({
  ...withoutUnheard(current),
  unanswered: [],
})

/** An agent was invited, or none is available: the messages so far need no further invitation. */
const asked = <C extends Conversation>(current: C): C =>
  marked(withoutUnheard(current), current.unanswered.length, 'agent-asked')

/**
 * An agent was invited. The states `agent` and `closed` stay. AGENT_UNAVAILABLE is the response to every invitation
 * that was sent before it, also if the log has AGENT_UNAVAILABLE first.
 */
const invited = <C extends Conversation>(current: C, sentAt: Date): C => {
  const { state, unavailableAt } = current
  if (state === 'unavailable' && unavailableAt !== undefined && sentAt <= unavailableAt) return current
  return { ...asked(current), state: state === 'agent' || state === 'closed' ? state : 'invited' }
}

/**
 * A message waits for a reply unless an agent has the conversation. If an agent is invited already, the message gets
 * the status `agent-asked`: it needs no further invitation.
 */
const wrote = <C extends Conversation>(current: C, { eventId: id, at }: Pick<Fact, 'at'> & { eventId: Id }): C => {
  const { state } = current
  const status = state === 'invited' ? ({ status: 'agent-asked' } as const) : {}
  const [oldest, ...others] = state === 'agent' ? current.unanswered : [...current.unanswered, { id, at, ...status }]
  return {
    ...current,
    state: state === 'closed' ? 'bot' : state,
    unanswered: oldest === undefined ? [] : [oldest, ...others.slice(1 - mostUnanswered)],
    lastClientMessageId: id,
  }
}

/**
 * How many of the unanswered messages a command is for. If `inReplyTo` names a known message: all messages up to that
 * one, or none if that one was answered before. If `inReplyTo` is missing or names an unknown message: all messages.
 */
const countFor = ({ unanswered, seen }: Conversation, { inReplyTo }: Pick<Finished, 'inReplyTo'>): number => {
  if (inReplyTo === undefined) return unanswered.length
  const place = unanswered.findIndex(({ id }) => id === inReplyTo)
  if (place >= 0) return place + 1
  return seen.includes(`bot/${inReplyTo}`) ? 0 : unanswered.length
}

/**
 * The bot has announced the answer: the messages that it is for, and AGENT_UNAVAILABLE, wait once more. A further
 * announcement does not extend that.
 */
const announced = <C extends Conversation>(current: C, fact: Finished & Pick<Fact, 'at'>): C => {
  const count = countFor(current, fact)
  const { unanswered, unheard } = current
  return {
    ...current,
    unanswered: unanswered.map((message, i) => (i < count ? { moreSince: fact.at, ...message } : message)),
    ...(unheard && { unheard: { moreSince: fact.at, ...unheard } }),
  }
}

/** A message of the bot after AGENT_UNAVAILABLE clears `unheard`, and so does the bridge's own message about it. */
const heard = <C extends Conversation>(current: C, { because, inReplyTo }: Finished): C =>
  because === undefined || inReplyTo === current.unheard?.id ? withoutUnheard(current) : current

const finished = <C extends Conversation>(current: C, fact: Finished & Pick<Fact, 'at'>): C => {
  const { outcome, commandType, because, at, expectsMore } = fact
  switch (outcome) {
    case 'delivered':
      if (expectsMore) return announced(current, fact)
      return commandType === 'InviteAgent'
        ? invited(current, at)
        : { ...heard(current, fact), unanswered: current.unanswered.slice(countFor(current, fact)) }
    case 'failed':
      // The answer itself is still to come.
      if (expectsMore) return current
      return because === 'agent-unavailable'
        ? heard(current, fact)
        : marked(current, countFor(current, fact), because === undefined ? 'reply-failed' : 'agent-asked')
    case 'suppressed':
      return current
  }
}

/**
 * The conversation after one more fact. The caller updates `seen`. A message after the closing gives the conversation
 * to the bot again. After AGENT_UNAVAILABLE the bot may ask for contact details (protocol, Events, sequence 3).
 */
export const afterFact = <C extends Conversation>(current: C, fact: Fact): C => {
  switch (fact.kind) {
    case 'client-message':
      return wrote(current, fact)
    case 'invited':
      return invited(current, fact.at)
    case 'joined':
      return { ...withoutUnheard(current), unanswered: [], state: current.state === 'closed' ? 'closed' : 'agent' }
    case 'unavailable': {
      const { eventId: id, at } = fact
      const known = { ...current, unavailableAt: at }
      return current.state === 'closed' ? known : { ...asked(known), state: 'unavailable', unheard: { id, at } }
    }
    case 'closed':
      return { ...withoutUnheard(current), unanswered: [], state: 'closed' }
    case 'erased':
      return withoutWaiting(current)
    case 'refused':
      return marked(current, countFor(current, fact), 'reply-failed')
    case 'finished':
      return finished(current, fact)
  }
}

const evolve = (current: Conversation, fact: Fact): Conversation => ({
  ...afterFact({ ...current, seen: [...current.seen, fact.id].slice(-mostSeen) }, fact),
  ...(fact.clientId !== undefined && { clientId: fact.clientId }),
})

/** True if `seen` still has every fact that the conversation was folded from. */
export const forgotNone = ({ seen }: Conversation): boolean => seen.length < mostSeen

/** Folds the facts that the conversation has not seen. */
export const withFacts = (current: Conversation, facts: ReadonlyArray<Fact>): Conversation =>
  facts.filter(({ id }) => !current.seen.includes(id)).reduce(evolve, current)

const withDates = <W extends { readonly at: Date; readonly moreSince?: Date }>(waiting: W): W => ({
  ...waiting,
  at: new Date(waiting.at),
  ...(waiting.moreSince && { moreSince: new Date(waiting.moreSince) }),
})

/**
 * The deciding part of a stored document. A document of an old version may have its times as text until its view is
 * rebuilt.
 */
export const conversationOf = (document: ConversationDocument): Conversation => {
  const { state, unanswered, seen, unheard, unavailableAt, lastClientMessageId, clientId } = document
  return {
    state,
    seen,
    unanswered: unanswered.map(withDates),
    ...(unheard && { unheard: withDates(unheard) }),
    ...(unavailableAt !== undefined && { unavailableAt: new Date(unavailableAt) }),
    ...(lastClientMessageId !== undefined && { lastClientMessageId }),
    ...(clientId !== undefined && { clientId }),
  }
}
