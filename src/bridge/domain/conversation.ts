import type { BotReply } from '../../../contracts/commands/bot-reply.ts'
import type { BotReplySuppressed } from '../../../contracts/events/index.ts'
import type { Id } from '../../../contracts/primitives.ts'
import { maxSeen } from '../../../contracts/views/applied.ts'
import type { ConversationDocument } from '../../../contracts/views/conversation.ts'
import { silenceMs } from '../../../contracts/views/session.ts'
import type { BotAccount } from './accounts.ts'
import type { Fact, Finished } from './conversation-facts.ts'

/**
 * The part of a conversation (contracts/views/conversation.ts) that decides who has it and who waits. The views store
 * more fields. Egress decides with this part whether a reply may be sent, and the watchdog finds in it who waits.
 */
export type Conversation = Pick<
  ConversationDocument,
  | 'state'
  | 'unanswered'
  | 'seen'
  | 'unheard'
  | 'handOverFailed'
  | 'messagesSinceJoined'
  | 'heldUntil'
  | 'unavailableAt'
  | 'lastClientMessageId'
  | 'clientId'
>
type Status = NonNullable<Conversation['unanswered'][number]['status']>

export const unknownConversation: Conversation = { state: 'bot', unanswered: [], seen: [] }

const maxUnanswered = 100
const maxSinceJoined = 100

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
const clearPendingUnavailableNotice = <C extends Conversation>(current: C): C => {
  const { unheard: _, ...rest } = current
  return rest as C
}

const withoutFailedHandOver = <C extends Conversation>(current: C): C => {
  const { handOverFailed: _, ...rest } = current
  return rest as C
}

/** The chat was erased: what the client wrote before is gone, so nobody waits for an answer to it. */
export const withoutWaiting = <C extends Conversation>(current: C): C => ({
  ...withoutFailedHandOver(clearPendingUnavailableNotice(current)),
  unanswered: [],
})

/**
 * An agent was invited: AGENT_UNAVAILABLE needs no message any more. If the bot's answer to it had failed, this was the
 * one more invitation, which the conversation remembers: a further AGENT_UNAVAILABLE must not lead to another one.
 */
const askedAgain = <C extends Conversation>(current: C): C =>
  current.unheard?.status === undefined
    ? clearPendingUnavailableNotice(current)
    : { ...current, unheard: { ...current.unheard, status: 'agent-asked' } }

/**
 * An agent was invited, or none is available: neither the messages so far nor a failed hand-over need an invitation.
 */
const markAgentRequested = <C extends Conversation>(current: C): C =>
  marked(withoutFailedHandOver(askedAgain(current)), current.unanswered.length, 'agent-asked')

/** The bot's answer to AGENT_UNAVAILABLE was given up: the bridge must tell the client, or invite an agent once more. */
const unheardInVain = <C extends Conversation>(current: C): C =>
  current.unheard === undefined ? current : { ...current, unheard: { status: 'reply-failed', ...current.unheard } }

/** A command without `inReplyTo` is for whatever is open. */
const isForUnheard = ({ unheard }: Conversation, { inReplyTo }: Pick<Finished, 'inReplyTo'>): boolean =>
  unheard !== undefined && (inReplyTo === undefined || inReplyTo === unheard.id)

/**
 * The bot asked for an agent in vain. Since it may have announced the agent, the client waits for one, whatever the bot
 * has written. If an agent was invited or has joined, or the chat is closed, nobody waits.
 */
const handedOverInVain = <C extends Conversation>(
  current: C,
  { eventId: id, at }: Pick<Fact, 'at'> & { eventId: Id },
): C => {
  const now = unlessSilent(current, at)
  // After AGENT_UNAVAILABLE a hand-over is an answer to it, until the bot has written.
  if (now.state === 'unavailable' && now.unheard !== undefined) return unheardInVain(now)
  return now.state === 'bot' || now.state === 'unavailable' ? { ...now, handOverFailed: { id, at } } : current
}

/** From when on a chat counts as silent if nothing happens after this event. */
export const silentFrom = (at: Date): Date => new Date(at.getTime() + silenceMs)

/**
 * The protocol has no event that ends an agent's part, or an invitation that nobody answers. A day's silence ends it.
 */
const isHeldAt = ({ heldUntil }: Pick<Conversation, 'heldUntil'>, at: Date): boolean =>
  heldUntil === undefined || at < heldUntil

/**
 * Sets until when an agent has the conversation, and forgets what is true only while one has it. What ended with a
 * day's silence does not begin again.
 */
const held = <C extends Conversation>(current: C, at: Date): C => {
  const { heldUntil, messagesSinceJoined, ...rest } = current
  if (rest.state !== 'agent' && rest.state !== 'invited') return rest as C
  if (!isHeldAt(current, at)) return current
  const until = silentFrom(at)
  return {
    ...rest,
    heldUntil: heldUntil !== undefined && heldUntil > until ? heldUntil : until,
    ...(rest.state === 'agent' && { messagesSinceJoined: messagesSinceJoined ?? [] }),
  } as C
}

/** The conversation before an event at this time: if it was silent for a day, it is the bot's again. */
const unlessSilent = <C extends Conversation>(current: C, at: Date): C =>
  isHeldAt(current, at) ? current : held({ ...current, state: 'bot' }, at)

/**
 * An agent was invited. The states `agent` and `closed` stay. AGENT_UNAVAILABLE is the response to every invitation
 * that was sent before it, also if the log has the invitation later, when the client may have begun a new turn.
 */
const invited = <C extends Conversation>(current: C, sentAt: Date): C => {
  const { state, unavailableAt } = current
  if (unavailableAt !== undefined && sentAt <= unavailableAt) return current
  return { ...markAgentRequested(current), state: state === 'agent' || state === 'closed' ? state : 'invited' }
}

/**
 * A message waits for a reply unless an agent has the conversation: the service may send copies of what the client
 * writes to the agent. If an agent is invited already, the message gets the status `agent-asked`: it needs no further
 * invitation.
 */
const wrote = <C extends Conversation>(current: C, { eventId: id, at }: Pick<Fact, 'at'> & { eventId: Id }): C => {
  const { state, messagesSinceJoined = [] } = current
  const status = state === 'invited' ? ({ status: 'agent-asked' } as const) : {}
  const [oldest, ...others] = state === 'agent' ? current.unanswered : [...current.unanswered, { id, at, ...status }]
  const { unheard, ...rest } = current
  return {
    ...rest,
    // The client begins a new turn: if nobody is available for that one either, the bridge may invite once more again.
    ...(unheard && unheard.status !== 'agent-asked' && { unheard }),
    state: state === 'closed' ? 'bot' : state,
    unanswered: oldest === undefined ? [] : [oldest, ...others.slice(1 - maxUnanswered)],
    lastClientMessageId: id,
    ...(state === 'agent' && { messagesSinceJoined: [...messagesSinceJoined, id].slice(-maxSinceJoined) }),
  } as C
}

/**
 * How many of the unanswered messages a command is for. If `inReplyTo` names a known message: all messages up to that
 * one, or none if that one was answered before. None if it names a failed hand-over. If `inReplyTo` is missing or
 * names an unknown message: all messages.
 */
const countFor = (current: Conversation, { inReplyTo }: Pick<Finished, 'inReplyTo'>): number => {
  const { unanswered, seen, handOverFailed } = current
  if (inReplyTo === undefined) return unanswered.length
  if (inReplyTo === handOverFailed?.id) return 0
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
  because === undefined || inReplyTo === current.unheard?.id ? clearPendingUnavailableNotice(current) : current

/**
 * A command of the bot failed, or one of the bridge itself, which has tried for as long as it makes sense. If nobody could
 * be told about AGENT_UNAVAILABLE, the client still waits.
 */
const failed = <C extends Conversation>(current: C, fact: Finished & Pick<Fact, 'at'>): C => {
  const { commandType, because, inReplyTo } = fact
  if (because === 'agent-unavailable') return current
  const status = because === undefined ? 'reply-failed' : 'agent-asked'
  const after = marked(current, countFor(current, fact), status)
  if (because === undefined) return answerFailed(after, { ...fact, isHandOver: commandType === 'InviteAgent' })
  if (inReplyTo !== undefined && inReplyTo === after.unheard?.id) return askedAgain(after)
  return inReplyTo === after.handOverFailed?.id ? withoutFailedHandOver(after) : after
}

/** A command of the bot was given up, or refused unsent. */
const answerFailed = <C extends Conversation>(
  current: C,
  fact: Pick<Fact, 'at'> & Pick<Finished, 'inReplyTo'> & { readonly eventId: Id; readonly isHandOver: boolean },
): C => {
  if (fact.isHandOver) return handedOverInVain(current, fact)
  return isForUnheard(current, fact) ? unheardInVain(current) : current
}

const finished = <C extends Conversation>(current: C, fact: Finished & Pick<Fact, 'at'>): C => {
  const { outcome, commandType, because, at, expectsMore } = fact
  switch (outcome) {
    case 'delivered': {
      if (expectsMore) return announced(current, fact)
      if (commandType === 'InviteAgent') return invited(unlessSilent(current, at), at)
      const before = because === undefined ? unlessSilent(current, at) : current
      return { ...heard(before, fact), unanswered: before.unanswered.slice(countFor(before, fact)) }
    }
    case 'failed':
      // The answer itself is still to come.
      return expectsMore ? current : failed(current, fact)
    case 'suppressed':
      return current
  }
}

/** Nobody waits: an agent has joined, or the chat is closed. */
const over = <C extends Conversation>(current: C, state: Conversation['state']): C => ({
  ...withoutFailedHandOver(clearPendingUnavailableNotice(current)),
  unanswered: [],
  state,
})

const next = <C extends Conversation>(current: C, fact: Fact): C => {
  switch (fact.kind) {
    case 'client-message':
      return wrote(unlessSilent(current, fact.at), fact)
    case 'invited':
      return invited(unlessSilent(current, fact.at), fact.at)
    case 'joined':
      return current.state === 'closed'
        ? over(current, 'closed')
        : { ...over(unlessSilent(current, fact.at), 'agent'), messagesSinceJoined: [] }
    case 'unavailable': {
      const { eventId: id, at } = fact
      const known = { ...current, unavailableAt: at }
      // The invitation to which this is the response may be read later. It follows the failed answer in any case.
      const askedBefore = current.unheard?.status === undefined ? {} : ({ status: 'agent-asked' } as const)
      return current.state === 'closed'
        ? known
        : { ...markAgentRequested(known), state: 'unavailable', unheard: { id, at, ...askedBefore } }
    }
    case 'closed':
      return over(current, 'closed')
    case 'erased':
      return withoutWaiting(current)
    case 'refused':
      return answerFailed(marked(current, countFor(current, fact), 'reply-failed'), fact)
    case 'finished':
      return finished(current, fact)
  }
}

/**
 * The conversation after one more fact. The caller updates `seen`. A message after the closing gives the conversation
 * to the bot again. After AGENT_UNAVAILABLE the bot may ask for contact details.
 */
export const afterFact = <C extends Conversation>(current: C, fact: Fact): C => held(next(current, fact), fact.at)

/**
 * When the part of each agent ended, by the id of the fact that the agent joined. The rule is that which decides about
 * replies: an event gave the conversation to somebody else, or it was silent for a day. The facts are in their order.
 */
export const agentEnds = (facts: ReadonlyArray<Fact>, now: Date): ReadonlyMap<string, Date> => {
  const ends = new Map<string, Date>()
  const joined = new Set<string>()
  let current = unknownConversation
  const end = (at: Date) => {
    for (const id of joined) ends.set(id, at)
    joined.clear()
  }
  const endIfSilent = (at: Date) => {
    if (current.heldUntil !== undefined && !isHeldAt(current, at)) end(current.heldUntil)
  }
  for (const fact of facts) {
    endIfSilent(fact.at)
    current = afterFact(current, fact)
    if (fact.kind === 'joined') joined.add(fact.id)
    // An agent who joins a closed chat does not get it.
    if (current.state !== 'agent') end(fact.at)
  }
  endIfSilent(now)
  return ends
}

export type SuppressedReason = BotReplySuppressed['data']['reason']

type TakenReason = Exclude<SuppressedReason, 'overtaken' | 'answered'>

const takenReasons: Readonly<Record<Conversation['state'], TakenReason | undefined>> = {
  bot: undefined,
  unavailable: undefined,
  invited: 'agent-invited',
  agent: 'agent-joined',
  closed: 'chat-closed',
}

/** Why the conversation is not the bot's at this time: who has it, or that it is closed. Undefined if it is the bot's. */
export const takenReasonAt = (
  conversation: Pick<Conversation, 'state' | 'heldUntil'>,
  at: Date,
): TakenReason | undefined => (isHeldAt(conversation, at) ? takenReasons[conversation.state] : undefined)

/** What an account wants to happen to replies that are not sent or suppressed in any case. */
export type ReplyRules = { readonly [Rule in 'whenOvertaken' | 'whileAgent']?: BotAccount[Rule] | undefined }

type Deciding = Pick<Conversation, 'state' | 'lastClientMessageId' | 'messagesSinceJoined' | 'heldUntil'>

/**
 * Whether a bot's command may be sent now, or why it comes too late. `writtenAt` is when the bot published it. After an
 * agent has joined, a reply is late unless it answers a message that the client wrote after that.
 */
export const decideReply = (
  conversation: Deciding,
  { type, inReplyTo }: Pick<BotReply, 'type' | 'inReplyTo'>,
  writtenAt: Date,
  { whenOvertaken = 'send', whileAgent = 'answer' }: ReplyRules = {},
): 'send' | SuppressedReason => {
  const { lastClientMessageId, messagesSinceJoined = [] } = conversation
  const taken = takenReasonAt(conversation, writtenAt)
  const answersSinceJoined = inReplyTo && messagesSinceJoined.includes(inReplyTo) && whileAgent === 'answer'
  if (taken !== undefined && !(taken === 'agent-joined' && answersSinceJoined)) return taken
  const isOvertaken = inReplyTo && lastClientMessageId !== undefined && inReplyTo !== lastClientMessageId
  return type === 'BotMessage' && isOvertaken && whenOvertaken === 'suppress' ? 'overtaken' : 'send'
}

const evolve = (current: Conversation, fact: Fact): Conversation => ({
  ...afterFact({ ...current, seen: [...current.seen, fact.id].slice(-maxSeen) }, fact),
  ...(fact.clientId !== undefined && { clientId: fact.clientId }),
})

/** True if `seen` still has every fact that the conversation was folded from. */
export const hasWholeSeen = ({ seen }: Conversation): boolean => seen.length < maxSeen

/** Folds the facts that the conversation has not seen. */
export const withFacts = (current: Conversation, facts: ReadonlyArray<Fact>): Conversation =>
  facts.filter(({ id }) => !current.seen.includes(id)).reduce(evolve, current)

/** The deciding part of a stored document. */
export const conversationOf = ({
  state,
  unanswered,
  seen,
  unheard,
  handOverFailed,
  messagesSinceJoined,
  heldUntil,
  unavailableAt,
  lastClientMessageId,
  clientId,
}: ConversationDocument): Conversation => ({
  state,
  unanswered,
  seen,
  ...(unheard && { unheard }),
  ...(handOverFailed && { handOverFailed }),
  ...(messagesSinceJoined && { messagesSinceJoined }),
  ...(heldUntil && { heldUntil }),
  ...(unavailableAt && { unavailableAt }),
  ...(lastClientMessageId !== undefined && { lastClientMessageId }),
  ...(clientId !== undefined && { clientId }),
})
