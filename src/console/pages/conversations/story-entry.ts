import type { agentChat, botChat } from '../../../../contracts/events/fields.ts'
import type { Message } from '../../../../contracts/events/message.ts'
import type { DeliveryDocument } from '../../../../contracts/views/delivery.ts'
import { isJsonObject } from '../../../bridge/shared/json.ts'
import { becauseWords, callTitle, failureWords, inviteReasonWords, suppressionWords } from '../../browser/words.ts'
import type { AsJson, DataOf, EventType, KnownEvent, Shown, StoryEvent } from '../../documents.ts'

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
  /** What the command's dead letter says, and when the command was appended, if it is among the dead letters. */
  readonly letter?: { readonly says: string; readonly requestedAt: string }
  readonly link?: { readonly title: string; readonly url: string }
  readonly event?: StoryEvent
}

type Part = Partial<Entry> & Pick<Entry, 'who' | 'title'>

type SentMessage = AsJson<Message> | undefined

/** The words of a message. Each message has them as plain text too, but the service may leave that out. */
const wordsOf = (message: SentMessage) => message?.text || message?.content || message?.title || ''

const shownElsewhere = ['type', 'text', 'content', 'title', 'timestamp', 'buttonId']
/** The other texts that a message of some type has, such as the address of a picture. */
const otherTexts = (message: SentMessage): ReadonlyArray<string> =>
  Object.entries(message ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' && !shownElsewhere.includes(name) ? [`${name}: ${value}`] : [],
  )

const buttonsOf = (message: SentMessage) => (message?.buttons ?? []).map(({ text, id }) => text || `button ${id ?? ''}`)

type Person = { readonly id?: string; readonly name?: string }

const named = ({ name, id = '' }: Person, kind: string): string => name || `${kind} ${id}`.trim()

const filled = (...sentences: ReadonlyArray<string>) => sentences.filter((sentence) => sentence !== '')

/** A bot reply, from the data of its outcome event or from its document in `deliveries`. */
type Reply = Partial<Shown<DeliveryDocument>>

const replyPart = (reply: Reply, state: DeliveryState): Part => {
  const { because = '', reason = '', handOverReason = '', commandType, message, expectsMore, detail = '' } = reply
  const { attempts = [], requestedAt = '', group = '' } = reply
  const isInvitation = commandType === 'InviteAgent'
  const asked = because === '' ? 'The bot asked for an agent' : 'The bridge asked for an agent'
  return {
    who: because === '' ? 'bot' : 'bridge',
    title: [isInvitation ? asked : because === '' ? 'Bot' : 'Bridge', ...filled(group)].join(' · '),
    ...(!isInvitation && { text: wordsOf(message) }),
    buttons: buttonsOf(message),
    state,
    notes: [
      ...otherTexts(message),
      ...(because === '' ? [] : [becauseWords(because)]),
      ...(handOverReason === '' ? [] : [`Why: ${handOverReason}`]),
      ...(expectsMore === true ? ['It announces that the answer follows.'] : []),
      ...(reason === '' ? [] : [state === 'suppressed' ? suppressionWords(reason) : failureWords(reason)]),
      ...(reason === 'rejected' && because === ''
        ? ['A refused reply makes no dead letter: the bot must send another.']
        : []),
    ],
    ...(reason === 'invalid' && { letter: { says: 'what was expected', requestedAt } }),
    ...(reason === 'unforeseen' && { letter: { says: 'where the bug is', requestedAt } }),
    detail,
    attempts: attempts.map(({ at, durationMs, status, code }) => ({ at, durationMs, status, code })),
  }
}

const transcriptOf = ({ agents = [], chat }: DataOf<'ChatFinished'>): ReadonlyArray<TranscriptLine> => {
  const names = new Map(agents.map((agent) => [agent.id ?? '', named(agent, 'agent')]))
  return (chat?.messages ?? []).map(({ type = '', agentId: id = '', timestamp: at = '', message: text = '' }) => {
    const isAgent = type === 'agent' || type === 'operator'
    const isClient = type === 'visitor' || type === 'client'
    return {
      from: isClient ? 'client' : 'agent',
      name: isAgent
        ? (names.get(id) ?? (id === '' ? 'Agent side, no agent named' : `agent ${id}`))
        : isClient
          ? 'Client'
          : type || 'Unknown writer',
      at,
      text,
      differences: [],
    }
  })
}

const parts: { readonly [T in EventType]: (data: DataOf<T>) => Part } = {
  ClientMessageReceived: ({ message }) => {
    const button = message?.buttonId ?? ''
    return {
      who: 'client',
      title: 'Client',
      text: wordsOf(message),
      notes: [...otherTexts(message), ...(button === '' ? [] : [`The client clicked the button ${button}.`])],
    }
  },
  BotReplyDelivered: (data) => replyPart(data, 'delivered'),
  BotReplyFailed: (data) => replyPart(data, 'failed'),
  BotReplySuppressed: (data) => replyPart(data, 'suppressed'),
  AgentInvited: ({ invitedBy, reason = '' }) => {
    const byBridge = invitedBy === 'bridge'
    return {
      who: byBridge ? 'bridge' : 'service',
      title: byBridge ? 'The bridge handed the chat to an agent' : 'The service handed the chat to an agent',
      notes: reason === '' ? [] : [inviteReasonWords(reason)],
    }
  },
  AgentJoined: () => ({ who: 'agent', title: 'An agent joined the conversation' }),
  AgentUnavailable: () => ({ who: 'service', title: 'No agent could take the chat' }),
  ChatClosed: () => ({ who: 'service', title: 'The service closed the conversation' }),
  ChatAccepted: ({ agent = {} }) => ({ who: 'agent', title: `${named(agent, 'Agent')} accepted the chat` }),
  ChatAssigned: ({ assignTo = '' }) => ({
    who: 'agent',
    title: 'The chat was linked to the CRM',
    notes: filled(assignTo),
  }),
  ChatUpdated: () => ({ who: 'service', title: 'What is known of the visitor changed' }),
  ChatFinished: (data) => ({
    who: 'agent',
    title: 'The chat was finished',
    notes: filled(
      data.chat?.rate ? `The client rated it: ${data.chat.rate}.` : '',
      data.chat?.blacklisted === true ? 'An agent blocked the client.' : '',
    ),
    transcript: transcriptOf(data),
  }),
  CallStatusChanged: ({ call: { type = '', status = '', reason = '', recordUrl = '' } = {} }) => ({
    who: 'service',
    title: callTitle(type, status),
    notes: filled(reason),
    ...(recordUrl !== '' && { link: { title: 'Recording', url: recordUrl } }),
  }),
  OfflineMessageReceived: ({ message = '' }) => ({ who: 'client', title: 'Offline message', text: message }),
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

/** What a field of an event that no contract has says: its text, or the title, name or id of an object. */
const textOf = (value: unknown): string => {
  const { title, name, id } = isJsonObject(value) ? value : { title: value }
  return [title, name, id].find((each) => typeof each === 'string' && each !== '')?.toString() ?? ''
}

/** The step of an event that has no words of its own above: its name, and the fields that it alone has. */
const plainPart = ({ type, data }: StoryEvent): Part => ({
  who: 'service',
  title: spaced(type),
  notes: Object.entries(data).flatMap(([name, value]) => {
    if (Object.hasOwn(common, name)) return []
    const text = textOf(value)
    return text === '' ? [] : [`${spaced(name)}: ${text}`]
  }),
})

const isKnown = (event: StoryEvent): event is KnownEvent => Object.hasOwn(parts, event.type)

const partOf = <T extends EventType>({ type, data }: KnownEvent<T>): Part => parts[type](data)

/** The entry of an event. */
export const entryOf = (event: StoryEvent): Entry => {
  const part = isKnown(event) ? partOf(event) : plainPart(event)
  const notes = [
    ...(part.notes ?? []),
    ...(event.omitted ? ['It is too large for the timeline. Only the raw record has its data.'] : []),
    ...(event.erased ? ['The chat was erased later: what was personal in this is gone.'] : []),
  ]
  return { ...nothing, ...part, notes, key: event.id, at: event.time, event }
}

/** The entry of a bot reply that has no outcome yet. */
export const pendingEntry = (delivery: Shown<DeliveryDocument>): Entry => ({
  ...nothing,
  ...replyPart(delivery, 'pending'),
  key: `delivery/${delivery.commandId}`,
  at: delivery.requestedAt,
})
