import type { ChatAccepted, ChatEvent, ChatFinished } from '../../../contracts/events/index.ts'
import type { Agent } from '../../../contracts/events/parts.ts'
import { maxMessagesBytes } from '../../../contracts/views/applied.ts'
import { type ChatDocument, chats as contract } from '../../../contracts/views/chat.ts'
import type { Dated } from '../../../contracts/views/dated.ts'
import { applyGuarded, type Guard } from './applied.ts'
import { firstResponseMs, newestMessages, wholeLog } from './chat-log.ts'
import type { Recorded } from './document.ts'
import { byMarks } from './erase.ts'
import { documentId, earlier, isWithinMoments, msBetween, present } from './fields.ts'
import { by, linkIndexes, where } from './indexes.ts'
import { ofVisitor } from './persons.ts'
import { chatTypes, each, folded } from './view.ts'

const maxAgents = 1_000

/**
 * Agents by id in the order of their first appearance, each with its newest data. An agent whom the service sent
 * without an id cannot be told from others. A chat keeps the first ones, so that its document stays below MongoDB's
 * limit.
 */
export const withAgents = (agents: ReadonlyArray<Agent>, others: ReadonlyArray<Agent>): Agent[] =>
  [
    ...new Map(
      [...agents, ...others].flatMap((agent) => (agent.id === undefined ? [] : [[agent.id, agent] as const])),
    ).values(),
  ].slice(0, maxAgents)

const base = (current: ChatDocument | undefined, event: Dated<ChatEvent>, guard: Guard): ChatDocument => ({
  state: 'open',
  agents: [],
  messages: [],
  firstEventAt: event.time,
  ...current,
  ...guard,
  _id: documentId(event),
  accountId: event.data.accountId,
  chatId: event.data.chatId,
  ...present(event.data, 'widgetId', 'visitor', 'userToken', 'organization', 'status', 'assignedAgent', 'tags'),
  ...present(event.data, 'department', 'session', 'page'),
  lastEventAt: event.time,
})

const listOf = <A>(value: A | undefined): ReadonlyArray<A> => (value === undefined ? [] : [value])

const accepted = (before: ChatDocument, { time, data }: Dated<ChatAccepted>): ChatDocument => {
  const chat = { ...before, agents: withAgents(before.agents, listOf(data.agent)) }
  const { state, acceptedAt, finishedAt } = chat
  // The end of a chat that was never accepted before has overtaken the acceptance.
  if (acceptedAt === undefined && finishedAt !== undefined && isWithinMoments(finishedAt, time))
    return { ...chat, acceptedAt: earlier(time, finishedAt) }
  return { ...chat, state: 'open', acceptedAt: state === 'open' && acceptedAt !== undefined ? acceptedAt : time }
}

const finished = (chat: ChatDocument, { time, data }: Dated<ChatFinished>): ChatDocument => {
  const {
    rate,
    invitation,
    blacklisted,
    firstResponseMs: _response,
    totalMs,
    messagesOmitted: omittedBefore = 0,
    ...rest
  } = chat
  const response = firstResponseMs(data.chat?.messages ?? [])
  const log = wholeLog(chat.messages, data.chat?.messages ?? [])
  const messages = newestMessages(log, maxMessagesBytes)
  const isContinued = log[0] !== undefined && log[0] === chat.messages[0]
  const messagesOmitted = (isContinued ? omittedBefore : 0) + log.length - messages.length
  return {
    ...rest,
    state: 'finished',
    agents: withAgents(chat.agents, data.agents ?? []),
    finishedAt: time,
    messages,
    ...(messagesOmitted > 0 && { messagesOmitted }),
    ...present(data.chat ?? {}, 'blacklisted', 'rate', 'invitation'),
    ...(response !== undefined && { firstResponseMs: response }),
    ...(chat.acceptedAt !== undefined && { totalMs: msBetween(chat.acceptedAt, time) }),
  }
}

const fold = (chat: ChatDocument, event: Dated<ChatEvent>): ChatDocument => {
  switch (event.type) {
    case 'ChatAccepted':
      return accepted(chat, event)
    case 'ChatAssigned': {
      const { agent } = event.data
      const agents = withAgents(chat.agents, listOf(agent))
      return { ...chat, agents, ...present(event.data, 'assignTo'), assignedAt: event.time }
    }
    case 'ChatUpdated':
      return { ...chat, agents: withAgents(chat.agents, listOf(event.data.agent)), updatedAt: event.time }
    case 'ChatFinished':
      return finished(chat, event)
  }
}

/**
 * Folds the events of one chat. Guarded as contracts/views/applied.ts describes, so a repeated ChatAccepted neither
 * moves `acceptedAt` nor opens a finished chat again.
 */
export const evolveChat = (current: ChatDocument | undefined, recorded: Recorded<ChatEvent>): ChatDocument =>
  applyGuarded(current, recorded, (guard) => fold(base(current, recorded.event, guard), recorded.event))

export const chats = folded(contract, {
  key: 'chatId',
  folds: each(chatTypes, {
    at: ({ event }) => documentId(event),
    next: (current: ChatDocument | undefined, recorded) => [evolveChat(current, recorded)],
  }),
  erasure: byMarks(),
  indexes: [where('acceptedAt'), by('state', 'lastEventAt'), where('userToken'), ...linkIndexes],
  person: { links: { chat: ['chatId'], ...ofVisitor }, documents: [{ field: 'chatId' }] },
})
