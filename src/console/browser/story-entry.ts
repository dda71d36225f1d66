import type { agentChat, botChat } from '../../../contracts/events/fields.ts'
import { isJsonObject } from '../../bridge/shared/json.ts'
import type { StoryEvent } from '../answers.ts'
import { listAt, numberAt, textAt } from './figures.ts'
import { becauseWords, callTitle, failureWords, inviteReasonWords, suppressionWords } from './words.ts'

export type Who = 'client' | 'bot' | 'bridge' | 'agent' | 'service'
export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'suppressed'

/** One request to the service. */
export type Attempt = {
  readonly at: string
  readonly durationMs: number
  readonly status: number | undefined
  readonly code: string | undefined
}

/** One message of the service's transcript. */
export type TranscriptLine = {
  readonly from: 'client' | 'agent'
  readonly name: string
  readonly at: string
  readonly text: string
  readonly differences: ReadonlyArray<string>
}

/** One entry of the story: a message or a step. */
export type Entry = {
  readonly key: string
  readonly at: string
  readonly who: Who
  readonly title: string
  /** The text of a message; undefined for a step. Empty if it is hidden or erased. */
  readonly text?: string
  readonly buttons: ReadonlyArray<string>
  readonly state?: DeliveryState
  /** Sentences that explain the entry. */
  readonly notes: ReadonlyArray<string>
  /** The service's message when it refused a reply. */
  readonly detail: string
  readonly attempts: ReadonlyArray<Attempt>
  readonly differences: ReadonlyArray<string>
  readonly transcript: ReadonlyArray<TranscriptLine>
  /** What the command's dead letter says, if it is among the dead letters. */
  readonly letter?: string
  readonly link?: { readonly title: string; readonly url: string }
  readonly event?: StoryEvent
}

type Data = StoryEvent['data']
type Part = Partial<Entry> & Pick<Entry, 'who' | 'title'>

const attemptsOf = (data: unknown): ReadonlyArray<Attempt> =>
  listAt(data, 'attempts').map((attempt) => ({
    at: textAt(attempt, 'at'),
    durationMs: numberAt(attempt, 'durationMs') ?? 0,
    status: numberAt(attempt, 'status'),
    code: textAt(attempt, 'code') || undefined,
  }))

/** The words of a message. Each message has them as plain text too, but the service may leave that out. */
const wordsOf = (message: unknown) => textAt(message, 'text') || textAt(message, 'content') || textAt(message, 'title')

const shownElsewhere = ['type', 'text', 'content', 'title', 'timestamp', 'buttonId']
/** The other texts that a message of some type has, such as the address of a picture. */
const otherTexts = (message: unknown): ReadonlyArray<string> =>
  isJsonObject(message)
    ? Object.entries(message).flatMap(([name, value]) =>
        typeof value === 'string' && !shownElsewhere.includes(name) ? [`${name}: ${value}`] : [],
      )
    : []

const buttonsOf = (message: unknown) =>
  listAt(message, 'buttons').map((button) => textAt(button, 'text') || `button ${textAt(button, 'id')}`)

const named = (person: unknown, kind: string): string =>
  textAt(person, 'name') || `${kind} ${textAt(person, 'id')}`.trim()

/** A bot reply, from the data of its outcome event or from its document in `deliveries`. */
const replyPart = (data: unknown, state: DeliveryState): Part => {
  const because = textAt(data, 'because')
  const reason = textAt(data, 'reason')
  const handOverReason = textAt(data, 'handOverReason')
  const isInvitation = textAt(data, 'commandType') === 'InviteAgent'
  const message = isJsonObject(data) ? data.message : undefined
  const asked = because === '' ? 'The bot asked for an agent' : 'The bridge asked for an agent'
  return {
    who: because === '' ? 'bot' : 'bridge',
    title: isInvitation ? asked : because === '' ? 'Bot' : 'Bridge',
    ...(!isInvitation && { text: wordsOf(message) }),
    buttons: buttonsOf(message),
    state,
    notes: [
      ...otherTexts(message),
      ...(because === '' ? [] : [becauseWords(because)]),
      ...(handOverReason === '' ? [] : [`Why: ${handOverReason}`]),
      ...(isJsonObject(data) && data.expectsMore === true ? ['It announces that the answer follows.'] : []),
      ...(reason === '' ? [] : [state === 'suppressed' ? suppressionWords(reason) : failureWords(reason)]),
      ...(reason === 'rejected' && because === ''
        ? ['A refused reply makes no dead letter: the bot must send another.']
        : []),
    ],
    ...(reason === 'invalid' && { letter: 'what was expected' }),
    ...(reason === 'unforeseen' && { letter: 'where the bug is' }),
    detail: textAt(data, 'detail'),
    attempts: attemptsOf(data),
  }
}

const transcriptOf = (data: unknown): ReadonlyArray<TranscriptLine> => {
  const names = new Map(listAt(data, 'agents').map((agent) => [textAt(agent, 'id'), named(agent, 'agent')]))
  return listAt(data, 'chat', 'messages').map((message) => {
    const type = textAt(message, 'type')
    const isAgent = type === 'agent' || type === 'operator'
    const isClient = type === 'visitor' || type === 'client'
    const id = textAt(message, 'agentId')
    return {
      from: isClient ? 'client' : 'agent',
      name: isAgent
        ? (names.get(id) ?? (id === '' ? 'Agent side, no agent named' : `agent ${id}`))
        : isClient
          ? 'Client'
          : type || 'Unknown writer',
      at: textAt(message, 'timestamp'),
      text: textAt(message, 'message'),
      differences: [],
    }
  })
}

const filled = (...sentences: ReadonlyArray<string>) => sentences.filter((sentence) => sentence !== '')

const parts: Readonly<Record<string, (data: Data) => Part>> = {
  ClientMessageReceived: (data) => {
    const button = textAt(data, 'message', 'buttonId')
    return {
      who: 'client',
      title: 'Client',
      text: wordsOf(data.message),
      notes: [...otherTexts(data.message), ...(button === '' ? [] : [`The client clicked the button ${button}.`])],
    }
  },
  BotReplyDelivered: (data) => replyPart(data, 'delivered'),
  BotReplyFailed: (data) => replyPart(data, 'failed'),
  BotReplySuppressed: (data) => replyPart(data, 'suppressed'),
  AgentInvited: (data) => {
    const byBridge = textAt(data, 'invitedBy') === 'bridge'
    const reason = textAt(data, 'reason')
    return {
      who: byBridge ? 'bridge' : 'service',
      title: byBridge ? 'The bridge handed the chat to an agent' : 'The service handed the chat to an agent',
      notes: reason === '' ? [] : [inviteReasonWords(reason)],
    }
  },
  AgentJoined: () => ({ who: 'agent', title: 'An agent joined the conversation' }),
  AgentUnavailable: () => ({ who: 'service', title: 'No agent could take the chat' }),
  ChatClosed: () => ({ who: 'service', title: 'The service closed the conversation' }),
  ChatAccepted: (data) => ({ who: 'agent', title: `${named(data.agent, 'Agent')} accepted the chat` }),
  ChatAssigned: (data) => ({
    who: 'agent',
    title: 'The chat was linked to the CRM',
    notes: filled(textAt(data, 'assignTo')),
  }),
  ChatUpdated: () => ({ who: 'service', title: 'What is known of the visitor changed' }),
  ChatFinished: (data) => ({
    who: 'agent',
    title: 'The chat was finished',
    notes: filled(
      textAt(data, 'chat', 'rate') && `The client rated it: ${textAt(data, 'chat', 'rate')}.`,
      isJsonObject(data.chat) && data.chat.blacklisted === true ? 'An agent blocked the client.' : '',
    ),
    transcript: transcriptOf(data),
  }),
  CallStatusChanged: (data) => ({
    who: 'service',
    title: callTitle(textAt(data, 'call', 'type'), textAt(data, 'call', 'status')),
    notes: filled(textAt(data, 'call', 'reason')),
    ...(textAt(data, 'call', 'recordUrl') !== '' && {
      link: { title: 'Recording', url: textAt(data, 'call', 'recordUrl') },
    }),
  }),
  OfflineMessageReceived: (data) => ({
    who: 'client',
    title: 'Offline message',
    text: textAt(data, 'message'),
  }),
  ClientUpdated: () => ({ who: 'service', title: 'Visitor details updated' }),
  ChatErased: () => ({ who: 'bridge', title: 'The chat was erased: what was personal before is gone' }),
  ClientErased: () => ({ who: 'bridge', title: 'The client was erased: what was personal before is gone' }),
}

const nothing = { buttons: [], notes: [], detail: '', attempts: [], differences: [], transcript: [] }

type Common = keyof (typeof agentChat)['required' | 'optional'] | keyof (typeof botChat)['required' | 'optional']
/** What many events have, and the facts beside the story show. */
const common: Readonly<Record<Common, true>> = {
  accountId: true,
  chatId: true,
  clientId: true,
  widgetId: true,
  visitor: true,
  userToken: true,
  organization: true,
  status: true,
  assignedAgent: true,
  tags: true,
  department: true,
  session: true,
  page: true,
  analytics: true,
  agent: true,
  extra: true,
}

/** `ChatTransferred` and `chatTransferred` as `Chat transferred`. */
const spaced = (name: string) => {
  const words = name.replaceAll(/[A-Z]/g, (letter, at) => (at === 0 ? letter : ` ${letter.toLowerCase()}`))
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The step of an event that has no words of its own above: its name, and the fields that it alone has. */
const plainPart = (type: string, data: Data): Part => ({
  who: 'service',
  title: spaced(type),
  notes: Object.entries(data).flatMap(([name, value]) => {
    if (Object.hasOwn(common, name)) return []
    const text = typeof value === 'string' ? value : textAt(value, 'title') || named(value, '')
    return text === '' ? [] : [`${spaced(name)}: ${text}`]
  }),
})

/** The entry of an event. */
export const entryOf = (event: StoryEvent): Entry => {
  const make = Object.hasOwn(parts, event.type) ? parts[event.type] : undefined
  const part = make?.(event.data) ?? plainPart(event.type, event.data)
  const notes = [
    ...(part.notes ?? []),
    ...(event.omitted ? ['It is too large for the timeline. Only the raw record has its data.'] : []),
    ...(event.erased ? ['The chat was erased later: what was personal in this is gone.'] : []),
  ]
  return { ...nothing, ...part, notes, key: event.id, at: event.time, event }
}

/** The entry of a bot reply that has no outcome yet. */
export const pendingEntry = (delivery: unknown): Entry => ({
  ...nothing,
  ...replyPart(delivery, 'pending'),
  key: `delivery/${textAt(delivery, 'commandId')}`,
  at: textAt(delivery, 'requestedAt'),
})
