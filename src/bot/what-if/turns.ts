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

/** Each turn's events, with the place of the first one in the log. */
type Group = { readonly from: number; readonly events: Asked[] }

/** A turn ends with the message that an answer names. Whoever takes the chat away from the bot ends it too. */
const grouped = (events: ReadonlyArray<ConversationEvent>, answered: ReadonlySet<Asked>): ReadonlyArray<Group> => {
  const groups: Group[] = []
  let open: Group | undefined
  for (const [from, event] of events.entries()) {
    if (isOutcome(event)) continue
    if (event.type !== 'ClientMessageReceived') open = undefined
    if (!isAsked(event)) continue
    if (open === undefined) {
      open = { from, events: [] }
      groups.push(open)
    }
    open.events.push(event)
    if (answered.has(event) || event.type === 'AgentUnavailable') open = undefined
  }
  return groups
}

/** The turns of a chat from its events in the order of the log. Pure. */
export const turnsOf = (
  logged: ReadonlyArray<ConversationEvent>,
  { replyWithin, readUntil, ...rules }: TurnRules,
): ReadonlyArray<Turn> => {
  const events = once(logged)
  const answers = new Map<Asked, Outcome[]>()
  for (const [at, event] of events.entries()) {
    // The bridge's own messages are none of the bot's, and a repeated command keeps its first outcome.
    if (!isOutcome(event) || event.data.because !== undefined) continue
    if (event.type === 'BotReplyFailed' && event.data.reason === 'duplicate') continue
    const asked = answeredBy(event, at, events)
    if (asked !== undefined) answers.set(asked, [...(answers.get(asked) ?? []), event])
  }
  const isAnswer = (outcome: Outcome) => outcome.data.expectsMore !== true
  const answered = new Set([...answers].flatMap(([asked, outcomes]) => (outcomes.some(isAnswer) ? [asked] : [])))

  let state: Conversation = unknownConversation
  let seen = 0
  const stateAt = (place: number): Conversation => {
    const facts = events.slice(seen, place).flatMap((event) => factOf(dated(event)) ?? [])
    seen = Math.max(seen, place)
    state = withFacts(state, facts)
    return state
  }
  let end = 0
  return grouped(events, answered).map(({ from, events: [first, ...others] }, i) => {
    if (first === undefined) throw new Error('a turn without an event')
    const last = others.at(-1) ?? first
    const outcomes = [first, ...others].flatMap((asked) => answers.get(asked) ?? [])
    const before = events.slice(end, from).filter((event) => !isAsked(event))
    end = from
    const command = {
      type: 'BotMessage' as const,
      ...(first.type === 'ClientMessageReceived' && { inReplyTo: first.id }),
    }
    const taken = decideReply(stateAt(from + 1), command, new Date(first.time), rules)
    const isOpen = !outcomes.some(isAnswer) && Date.parse(last.time) + replyWithin > readUntil
    const why =
      (taken === 'send' || taken === 'overtaken' ? undefined : `the bridge would send no reply: ${taken}`) ??
      unknownAnswer(outcomes) ??
      (isOpen ? 'the log ends before the answer' : undefined)
    return {
      number: i + 1,
      before,
      events: [first, ...others],
      observed: actsOf(outcomes),
      ...(why !== undefined && { notComparable: why }),
    }
  })
}
