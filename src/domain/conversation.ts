import type { Id } from '../../contracts/primitives.ts'
import { mostSeen } from '../../contracts/views/applied.ts'
import type { ConversationDocument } from '../../contracts/views/conversation.ts'
import type { Fact, Finished } from './conversation-facts.ts'

/**
 * The part of a conversation (contracts/views/conversation.ts) that decides who has it and who waits. The views store it with
 * more; replies are fenced by it, and the watchdog finds in it who waits.
 */
export type Conversation = Pick<
  ConversationDocument,
  'state' | 'unanswered' | 'seen' | 'unheard' | 'unavailableAt' | 'lastClientMessageId' | 'clientId'
>
type Status = NonNullable<Conversation['unanswered'][number]['status']>

export const unknownConversation: Conversation = { state: 'bot', unanswered: [], seen: [] }

const mostUnanswered = 100

/** The first so many unanswered messages have this status; that an agent was asked for stays. */
const marked = <C extends Conversation>(current: C, count: number, status: Status): C => ({
  ...current,
  unanswered: current.unanswered.map((message, i) =>
    i < count && message.status !== 'agent-asked' ? { ...message, status } : message,
  ),
})

/** Nothing is left to be said to an AGENT_UNAVAILABLE. */
const withoutUnheard = <C extends Conversation>(current: C): C => {
  const { unheard: _, ...rest } = current
  return rest as C
}

/** An agent was asked for, or none is there: no further invitation is due for the messages so far. */
const asked = <C extends Conversation>(current: C): C =>
  marked(withoutUnheard(current), current.unanswered.length, 'agent-asked')

/**
 * An agent was asked for. One that has joined stays, and closed stays closed. AGENT_UNAVAILABLE is the answer to what was sent
 * before it, also where the log has it first.
 */
const invited = <C extends Conversation>(current: C, sentAt: Date): C => {
  const { state, unavailableAt } = current
  if (state === 'unavailable' && unavailableAt !== undefined && sentAt <= unavailableAt) return current
  return { ...asked(current), state: state === 'agent' || state === 'closed' ? state : 'invited' }
}

/** A message waits for an answer unless an agent has the conversation; while one is asked for, it waits for that one. */
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
 * How many of the unanswered messages a command is for: up to the one of its `inReplyTo`; none where that one was answered
 * before; all where it names none, or none that is known.
 */
const countFor = ({ unanswered, seen }: Conversation, { inReplyTo }: Pick<Finished, 'inReplyTo'>): number => {
  if (inReplyTo === undefined) return unanswered.length
  const place = unanswered.findIndex(({ id }) => id === inReplyTo)
  if (place >= 0) return place + 1
  return seen.includes(`bot/${inReplyTo}`) ? 0 : unanswered.length
}

/** The bot's word after AGENT_UNAVAILABLE, or the bridge's own. */
const heard = <C extends Conversation>(current: C, { because, inReplyTo }: Finished): C =>
  because === undefined || inReplyTo === current.unheard?.id ? withoutUnheard(current) : current

const finished = <C extends Conversation>(current: C, fact: Finished & Pick<Fact, 'at'>): C => {
  const { outcome, commandType, because, at } = fact
  switch (outcome) {
    case 'delivered':
      return commandType === 'InviteAgent'
        ? invited(current, at)
        : { ...heard(current, fact), unanswered: current.unanswered.slice(countFor(current, fact)) }
    case 'failed':
      return because === 'agent-unavailable'
        ? heard(current, fact)
        : marked(current, countFor(current, fact), because === undefined ? 'reply-failed' : 'agent-asked')
    case 'suppressed':
      return current
  }
}

/**
 * The conversation after one more fact; `seen` is left to the caller. A client's message after closing gives it to the bot
 * again, and after AGENT_UNAVAILABLE the bot may ask for contact details (protocol, Events, sequence 3).
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

/** Whether its `seen` has every fact that it was made of: none is forgotten yet. */
export const forgotNone = ({ seen }: Conversation): boolean => seen.length < mostSeen

/** The conversation after those of the facts that it has not seen. */
export const withFacts = (current: Conversation, facts: ReadonlyArray<Fact>): Conversation =>
  facts.filter(({ id }) => !current.seen.includes(id)).reduce(evolve, current)

/** What decides, of a document as it is stored: one of a former version, until its view is rebuilt, has its times as text. */
export const conversationOf = (document: ConversationDocument): Conversation => {
  const { state, unanswered, seen, unheard, unavailableAt, lastClientMessageId, clientId } = document
  return {
    ...{ state, seen, unanswered: unanswered.map((message) => ({ ...message, at: new Date(message.at) })) },
    ...(unheard && { unheard: { ...unheard, at: new Date(unheard.at) } }),
    ...(unavailableAt !== undefined && { unavailableAt: new Date(unavailableAt) }),
    ...(lastClientMessageId !== undefined && { lastClientMessageId }),
    ...(clientId !== undefined && { clientId }),
  }
}
