import type {
  AgentUnavailable,
  BotReplyDelivered,
  BotReplyFailed,
  BotReplySuppressed,
  ClientMessageReceived,
  ConversationEvent,
} from '../../../contracts/events/index.ts'
import {
  type Conversation,
  decideReply,
  type ReplyRules,
  unknownConversation,
  withFacts,
} from '../../bridge/domain/conversation.ts'
import { factOf } from '../../bridge/domain/conversation-facts.ts'
import { dated } from '../../bridge/domain/dated.ts'
import { identity } from '../../bridge/domain/identity.ts'
import { type Acts, actOf, handOver } from './acts.ts'

/** What the bot must answer: a client's messages, or that no agent is available. */
type Asked = ClientMessageReceived | AgentUnavailable
type Outcome = BotReplyDelivered | BotReplyFailed | BotReplySuppressed

/** What the client wrote until the bot answered, and what the log says the bot answered. */
export type Turn = {
  /** Counts from 1. */
  readonly number: number
  /** What happened since the turn before, in the order of the log. */
  readonly before: ReadonlyArray<ConversationEvent>
  readonly events: readonly [Asked, ...ReadonlyArray<Asked>]
  readonly observed: Acts
  /** Why no bot can be compared with the log in this turn. */
  readonly notComparable?: string
}

/** What the turns need to know of the account, and of the log's end. */
export type TurnRules = ReplyRules & {
  /** In ms: so long a client waits for the answer. */
  readonly replyWithin: number
  /** In ms since 1970: until when the log was read. */
  readonly readUntil: number
}

const isAsked = (event: ConversationEvent): event is Asked =>
  event.type === 'ClientMessageReceived' || event.type === 'AgentUnavailable'
const isOutcome = (event: ConversationEvent): event is Outcome =>
  event.type === 'BotReplyDelivered' || event.type === 'BotReplyFailed' || event.type === 'BotReplySuppressed'

/** The log may have an event twice. */
const once = (events: ReadonlyArray<ConversationEvent>): ReadonlyArray<ConversationEvent> =>
  [...new Map(events.map((event) => [identity(event), event] as const).reverse()).values()].reverse()

/**
 * The event that a command of the bot answers: the one that it names. A command that names none answers the newest
 * event that the bot could know when it wrote the command.
 */
const answeredBy = (outcome: Outcome, at: number, events: ReadonlyArray<ConversationEvent>): Asked | undefined => {
  const earlier = events.slice(0, at).filter(isAsked)
  const { inReplyTo, requestedAt } = outcome.data
  const named = events.find((event) => isAsked(event) && event.id === inReplyTo)
  if (named !== undefined) return named as Asked
  return earlier.findLast(({ time }) => Date.parse(time) <= Date.parse(requestedAt)) ?? earlier.at(-1)
}

const actsOf = (outcomes: ReadonlyArray<Outcome>): Acts =>
  outcomes.flatMap(({ type, data }) => {
    if (type !== 'BotReplyDelivered') return []
    if (data.commandType === 'InviteAgent') return [handOver]
    return data.message === undefined ? [] : [actOf(data.message, data.expectsMore === true)]
  })

/** Why the log does not say what the bot answered. */
const unknownAnswer = (outcomes: ReadonlyArray<Outcome>): string | undefined => {
  for (const { type, data } of outcomes) {
    if (type === 'BotReplyFailed') return `the old reply was not delivered: ${data.reason}`
    if (type === 'BotReplySuppressed') return `the old reply came too late: ${data.reason}`
    if (data.commandType === 'BotMessage' && data.message === undefined) return 'the log does not have the old reply'
  }
  return undefined
}

/** What the bot answered to each event. The bridge's own messages are none of the bot's. */
const answersIn = (events: ReadonlyArray<ConversationEvent>): ReadonlyMap<Asked, ReadonlyArray<Outcome>> => {
  const answers = new Map<Asked, Outcome[]>()
  for (const [at, event] of events.entries()) {
    if (!isOutcome(event) || event.data.because !== undefined) continue
    // A repeated command keeps its first outcome.
    if (event.type === 'BotReplyFailed' && event.data.reason === 'duplicate') continue
    const asked = answeredBy(event, at, events)
    if (asked !== undefined) answers.set(asked, [...(answers.get(asked) ?? []), event])
  }
  return answers
}

/** Not only an announcement of the answer. */
const isAnswer = ({ data }: Outcome) => data.expectsMore !== true

/** The events of a turn, the place of the first one in the log, and the conversation after it. */
type Group = {
  readonly from: number
  readonly conversation: Conversation
  readonly events: [Asked, ...Asked[]]
}

/** A turn ends with the message that an answer names. Whoever takes the chat away from the bot ends it too. */
const grouped = (
  events: ReadonlyArray<ConversationEvent>,
  answers: ReadonlyMap<Asked, ReadonlyArray<Outcome>>,
): ReadonlyArray<Group> => {
  const groups: Group[] = []
  let conversation: Conversation = unknownConversation
  let open: Group | undefined
  for (const [from, event] of events.entries()) {
    const fact = factOf(dated(event))
    if (fact !== undefined) conversation = withFacts(conversation, [fact])
    if (isOutcome(event)) continue
    if (event.type !== 'ClientMessageReceived') open = undefined
    if (!isAsked(event)) continue
    if (open === undefined) {
      open = { from, conversation, events: [event] }
      groups.push(open)
    } else open.events.push(event)
    if (event.type === 'AgentUnavailable' || answers.get(event)?.some(isAnswer)) open = undefined
  }
  return groups
}

/** Why no bot can be compared with the log in a turn. */
const whyNotComparable = (
  { conversation, events: [first, ...others] }: Group,
  outcomes: ReadonlyArray<Outcome>,
  { replyWithin, readUntil, ...rules }: TurnRules,
): string | undefined => {
  const reply = {
    type: 'BotMessage' as const,
    ...(first.type === 'ClientMessageReceived' && { inReplyTo: first.id }),
  }
  const decision = decideReply(conversation, reply, new Date(first.time), rules)
  if (decision !== 'send' && decision !== 'overtaken') return `the bridge would send no reply: ${decision}`
  const last = others.at(-1) ?? first
  const isOpen = !outcomes.some(isAnswer) && Date.parse(last.time) + replyWithin > readUntil
  return unknownAnswer(outcomes) ?? (isOpen ? 'the log ends before the answer' : undefined)
}

/** The turns of a chat from its events in the order of the log. Pure. */
export const turnsOf = (logged: ReadonlyArray<ConversationEvent>, rules: TurnRules): ReadonlyArray<Turn> => {
  const events = once(logged)
  const answers = answersIn(events)
  const groups = grouped(events, answers)
  return groups.map((group, i) => {
    const outcomes = group.events.flatMap((asked) => answers.get(asked) ?? [])
    const notComparable = whyNotComparable(group, outcomes, rules)
    return {
      number: i + 1,
      before: events.slice(groups[i - 1]?.from ?? 0, group.from).filter((event) => !isAsked(event)),
      events: group.events,
      observed: actsOf(outcomes),
      ...(notComparable !== undefined && { notComparable }),
    }
  })
}
