import type { Action } from '../../../contracts/commands/operator-action.ts'
import type { BotReplyFailed } from '../../../contracts/events/index.ts'
import type { DriftDocument } from '../../../contracts/views/drift.ts'
import type { SessionDocument } from '../../../contracts/views/session.ts'
import type { CheckName } from '../../bridge/domain/checks.ts'
import { isPhoneAlike } from '../../bridge/domain/person/ids.ts'
import { collectionWords } from '../../bridge/privacy/receipt-words.ts'
import { type Sort, type Typed, typedAs } from '../pages/conversations/filters.ts'
import type { LettersKind } from '../pages/dead-letters/letters.ts'
import type { PersonAnswer, PersonBody } from '../pages/privacy/person.ts'
import { type Asked, isFixed } from '../pages/privacy/person-choice.ts'
import { count, counted } from './format.ts'

type Sentences = Readonly<Record<string, string>>

/** The sentence for a code. A code that is newer than this page is shown itself, with spaces for hyphens. */
const said = (sentences: Sentences, code: string): string =>
  Object.hasOwn(sentences, code) ? (sentences[code] ?? code) : code.replaceAll('-', ' ')

const becauses: Sentences = {
  'no-reply-in-time': 'The bridge did this itself: the client had no reply in time.',
  'delivery-failed': 'The bridge did this itself: the reply could not be delivered.',
  'agent-unavailable': 'The bridge did this itself: no agent was available, and the bot did not respond.',
}
/** The reason why the bridge itself made a command. */
export const becauseWords = (code: string) => said(becauses, code)

const inviteReasons: Sentences = {
  'no-reply-in-time': 'The client had no reply in time.',
  'delivery-failed': 'The reply could not be delivered.',
}
export const inviteReasonWords = (code: string) => said(inviteReasons, code)

const failures: Readonly<Record<BotReplyFailed['data']['reason'], string>> = {
  rejected: 'The service refused it, and that is final.',
  attempts: 'Given up: as many attempts as the account allows have failed.',
  deadline: 'Given up: it could not be delivered before its deadline.',
  invalid: 'Not sent: the command breaks its contract.',
  'unknown-account': 'Not sent: no such account has a bot.',
  duplicate: 'Not sent: another command of this chat had the same id before.',
  gone: 'Not sent: the command was too old, and was deleted before it could be sent.',
  unforeseen: 'Given up: the bridge met a bug while it handled the command.',
}
export const failureWords = (code: string) => said(failures, code)

/** What failed, and whose it was. */
export const failedCommandWords = (commandType: string, by: 'bot' | 'bridge'): string => {
  const whose = by === 'bot' ? 'of the bot' : 'of the bridge itself'
  if (commandType === 'BotMessage') return `Message ${whose}`
  return commandType === 'InviteAgent' ? `Invitation of an agent, ${whose}` : `Command ${whose}`
}

const suppressions: Sentences = {
  'agent-joined': 'Not sent: an agent had joined the chat before.',
  'agent-invited': 'Not sent: an agent had been invited before.',
  'chat-closed': 'Not sent: the chat was closed before.',
  overtaken: 'Not sent: the client had written again before.',
  answered: 'Not sent: the bot had answered after all.',
}
/** The reason why a reply was suppressed. */
export const suppressionWords = (code: string) => said(suppressions, code)

const states: Sentences = {
  bot: 'With the bot',
  invited: 'Waiting for an agent',
  agent: 'With an agent',
  unavailable: 'No agent available',
  closed: 'Closed',
  open: 'Open',
  finished: 'Finished',
}
/** The state of a conversation or chat. */
export const stateWords = (code: string) => said(states, code)

const outcomes: Readonly<Record<SessionDocument['outcome'], string>> = {
  contained: 'The bot answered alone',
  'handed-over': 'Handed over to an agent',
  unavailable: 'No agent available',
  abandoned: 'Left before an agent came',
  unanswered: 'Nobody answered',
  finished: 'Finished by an agent',
  open: 'Open',
}
export const outcomeWords = (code: string) => said(outcomes, code)
export const outcomeCodes = Object.keys(outcomes)

const sorts: Readonly<Record<Sort, string>> = {
  '': 'Newest',
  oldest: 'Oldest',
  waits: 'Longest wait',
  longest: 'Longest',
}
/** What comes first in the list of conversations. */
export const sortWords = (code: Sort) => sorts[code]

/** How a session is, or was. `tone` is that of a dot: `waits` if somebody waits, none after the end. */
export type SessionState = { readonly words: string; readonly tone: 'open' | 'waits' | '' }

/** The outcome of a session after its end. Until then it may change, so who has the chat now, or who is waited for. */
export const sessionState = ({
  kind,
  outcome,
  isOpen,
  waits,
}: {
  readonly kind: string
  readonly outcome: string
  readonly isOpen: boolean
  /** The client's last message has no answer. */
  readonly waits: boolean
}): SessionState => {
  if (!isOpen) return { words: outcomeWords(outcome), tone: '' }
  if (kind !== 'bot') return { words: stateWords('agent'), tone: 'open' }
  if (outcome === 'abandoned') return { words: stateWords('invited'), tone: 'waits' }
  if (outcome === 'unavailable') return { words: outcomeWords(outcome), tone: 'waits' }
  if (outcome !== 'contained' && outcome !== 'unanswered') return { words: outcomeWords(outcome), tone: 'open' }
  return waits ? { words: 'Waiting for the bot', tone: 'waits' } : { words: stateWords('bot'), tone: 'open' }
}

const endings: Sentences = {
  finished: 'An agent finished the chat.',
  'agent-joined': 'It ended when an agent joined.',
  closed: 'The service closed it.',
  silence: 'It ended after 24 hours without an event.',
}
export const endingWords = (code: string) => said(endings, code)

const differences: Sentences = {
  'not-received': 'The transcript has this message, and the bridge never received it.',
  'not-in-transcript': 'The bridge has this message, and the service’s transcript lacks it.',
  order: 'The transcript has this message in another order.',
  text: 'The transcript has this message with other words.',
}
/** The difference between the service's transcript and the events of the bridge. */
export const differenceWords = (code: string) => said(differences, code)

const notCompared: Sentences = {
  'empty-transcript': 'The service’s transcript is empty.',
  'no-bot-conversation': 'The bridge saw no bot conversation in this chat.',
  'nothing-in-common': 'No message is in both: the transcript does not have that part of the chat.',
  erased: 'A message was erased.',
  'event-too-large': 'An event is too large for the timeline.',
  'event-missing': 'An event is not in the timeline.',
  'too-many-messages': 'Too many messages differ.',
}
export const notComparedWords = (code: string) => said(notCompared, code)

const networkCodes: Sentences = {
  timeout: 'no answer in time',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed by the service',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name could not be looked up',
}

/** The service's response to one request, from its HTTP status and error code. */
export const answerWords = (status: number | undefined, code: string | undefined): string => {
  if (status === undefined) return code === undefined ? 'no answer' : said(networkCodes, code)
  if (code === undefined) return status < 300 ? `${status} accepted` : `${status} refused`
  return `${status}, ${code}`
}

/** How a reply's last request ended. Without a status there was no answer. */
export const lastAttemptWords = (status: number | undefined, code: string | undefined): string =>
  `${status === undefined ? 'Last attempt' : 'Last answer of the service'}: ${answerWords(status, code)}`

const identities: Sentences = {
  chat: 'chat',
  client: 'client id',
  visitor: 'visitor number',
  email: 'email address',
  phone: 'phone number',
  userToken: 'token of the website',
}

/** What joins chats and clients to others, or to what was asked: `Same visitor number 2746`. */
export const sameWords = (via: PersonAnswer['parts'][number]['via'], asked: Asked): string =>
  `Same ${via.map((it) => `${said(identities, it.kind)} ${it.value}${isPhoneAlike(asked, it) ? ' apart from the country code' : ''}`).join(', ')}`

/** Why chats and clients are listed: what joins them to the rest, and whether they may be somebody else's. */
export const joinedWords = (part: PersonAnswer['parts'][number], asked: Asked): string => {
  if (isFixed(part)) return 'You asked for this one'
  const isDoubted = part.erasedAt === undefined && (!part.isSure || part.isLikelyOther)
  return `${sameWords(part.via, asked)}${isDoubted ? '; may be another person' : ''}`
}

type Part = Pick<PersonAnswer['parts'][number], 'chats' | 'clients' | 'emails'>

const maxNamed = 3
const conversationsWords = (chats: ReadonlyArray<string>, emails: ReadonlyArray<string>): string => {
  if (emails.length > 0) return 'Conversations without a client id'
  const more = chats.length - maxNamed
  return `Conversations ${chats.slice(0, maxNamed).join(', ')}${more > 0 ? ` and ${count(more)} more` : ''}`
}

/** `Client 1233, ann@example.com`, or the conversations if they have no client. */
export const partName = ({ chats, clients, emails }: Part): string => {
  const of = clients.length === 1 ? `Client ${clients[0]}` : `Clients ${clients.join(', ')}`
  const alone = chats.length === 1 ? `Conversation ${chats[0]}` : conversationsWords(chats, emails)
  return [clients.length > 0 ? of : alone, ...emails].join(', ')
}

/** `Client 1233 (5 conversations); Conversation 480219`. Names every line: nobody may be erased unseen. */
export const partsWords = (parts: ReadonlyArray<Part>): string =>
  parts
    .map((part) =>
      part.chats.length > 1 ? `${partName(part)} (${counted(part.chats.length, 'conversation')})` : partName(part),
    )
    .join('; ')

/** One person seldom has more chats. More may be several persons who share an id. */
export const maxChatsOfOne = 20

const callTypes: Sentences = {
  callback: 'Callback',
  incoming: 'Incoming call',
  outgoing: 'Outgoing call',
}
export const callTypeWords = (code: string) => said(callTypes, code)

const callSteps: Sentences = {
  start: 'started',
  end: 'ended',
  agent_connected: 'agent connected',
  client_connected: 'client connected',
  error: 'failed',
}
/** `Incoming call ended`. */
export const callTitle = (type: string, status: string): string => `${callTypeWords(type)} ${said(callSteps, status)}`

const driftKinds: Readonly<Record<DriftDocument['kind'], string>> = {
  'unknown-field': 'Unknown field',
  'unknown-event': 'Unknown event',
  'new-value': 'New value',
  misfit: 'Value that does not fit',
  refused: 'Refused request',
  others: 'All others',
}
export const driftWords = (code: string) => said(driftKinds, code)
export const driftCodes = Object.keys(driftKinds)

const actions: Readonly<Record<Action, string>> = {
  rebuild: 'Rebuilt a view',
  redrive: 'Sent again',
  erase: 'Erased a person',
  export: 'Exported a person',
  replay: 'Decrypted the archive',
  rewrap: 'Changed the archive’s key',
  unmask: 'Looked at personal data',
  'sign-in': 'Signed in',
  topics: 'Changed topics',
}
export const actionWords = (code: string) => said(actions, code)
export const actionCodes = Object.keys(actions)

/** What is stored, in one line: `chats (3), events (41)`. */
export const storedLine = (stored: PersonAnswer['stored']): string =>
  stored.map(({ what, count: size }) => `${collectionWords(what).toLowerCase()} (${count(size)})`).join(', ') ||
  'nothing'

const nobody: Readonly<Record<PersonBody['kind'], string>> = {
  client: 'No client with this id is stored.',
  visitor: 'No visitor with this number is stored.',
  chat: 'No chat with this id is stored.',
  email: 'No person with this email address is stored.',
  phone: 'No person with this phone number is stored.',
}
/** The answer to a search for a person who is not stored. It says what was searched, because other ids may lead to one. */
export const nobodyWords = (kind: PersonBody['kind']): string => nobody[kind]
export const nobodyAdvice = (kind: PersonBody['kind'], value: string): string => {
  if (kind === 'email' && !value.includes('@'))
    return 'This is no email address, and only email addresses were searched: choose what it is.'
  if (kind === 'phone') return 'Only its digits were compared, with and without the country code. Check the number.'
  if (kind !== 'email' && value.includes('@'))
    return 'This may be an email address, and email addresses were not searched: choose Email address.'
  if (/^[+(\d][\d\s+()./-]{6,}$/.test(value))
    return 'Only this kind of id was searched. Check the value; if it is a phone number, choose Phone number.'
  return 'Only this kind of id was searched. Check the value, or find the person by another: a client has an id, and as a visitor a number.'
}

const looks: Readonly<Record<Exclude<Typed, 'id'>, string>> = {
  email: 'This is an email address.',
  phone: 'This looks like a phone number.',
  number: 'This may be a phone number, or the id of a chat or a client.',
}
/** What was typed in the search of conversations, if it is no id, and for whom it finds a person. */
export const typedWords = (typed: Exclude<Typed, 'id'>, mayFind: boolean): string =>
  mayFind
    ? looks[typed]
    : `${looks[typed]} A person’s chats are found by it here and on the page Privacy by people with the role privacy; you can search by the id of a chat or a client.`

/** The kind of a search before anything is typed: who asks has an address more often than an id. */
export const firstKind = 'email' satisfies PersonBody['kind']

type Kinds = readonly [PersonBody['kind'], ...ReadonlyArray<PersonBody['kind']>]

/** What a text may be, the likeliest first. A text without a digit may be the beginning of anything. */
const kindsByLook: Readonly<Record<'email' | 'phone' | 'number' | 'id' | 'any', Kinds>> = {
  email: ['email'],
  phone: ['phone'],
  number: ['phone', 'client', 'visitor', 'chat'],
  id: ['client', 'visitor', 'chat', 'phone', 'email'],
  any: [firstKind, 'client', 'visitor', 'chat', 'phone'],
}
const lookOf = (text: string): keyof typeof kindsByLook => {
  const typed = typedAs(text)
  if (typed !== 'id') return typed
  if (/^\s*[+(]/.test(text)) return 'phone'
  return /\d/.test(text) ? 'id' : 'any'
}

/**
 * The kind of id to search by after the text has changed: the likeliest, until the user has chosen another that the text
 * may be. It stays while the text looks the same: a website may use addresses as ids of its clients.
 */
export const kindOfTyped = (kind: PersonBody['kind'], before: string, now: string): PersonBody['kind'] => {
  const [was, is] = [lookOf(before), lookOf(now)]
  if (was === is) return kind
  const isChosen = kind !== kindsByLook[was][0]
  return isChosen && kindsByLook[is].includes(kind) ? kind : kindsByLook[is][0]
}

const erasureStates: Sentences = {
  started: 'Interrupted: erase the person again to finish it',
  published: 'Every consumer is told',
  complete: 'Checked: nothing personal is left in the bridge',
}
export const erasureWords = (code: string) => said(erasureStates, code)

/** The state of an erasure, and what is awaited. Which consumers made copies is not known, so they are only counted. */
export const confirmedWords = (state: string, consumers: number): string => {
  if (state === 'started') return 'interrupted'
  const confirmed =
    consumers === 0 ? 'no consumer has' : consumers === 1 ? '1 consumer has' : `${consumers} consumers have`
  return `${state === 'published' ? 'sent' : state}, ${confirmed} confirmed`
}

const figures: Sentences = {
  'figures.containment': 'Containment',
  'figures.strictContainment': 'Strict containment',
  'figures.handOffRate': 'Handover rate',
  'figures.abandonment': 'Abandonment',
  'figures.queueTime': 'Queue time',
  'figures.serviceLevel': 'Service level',
  'figures.firstResponseBot': 'Bot first response',
  'figures.responseTimeBot': 'Bot response time',
  'figures.botTurns': 'Messages per bot session',
  'figures.interventions': 'Bridge acted for the bot',
  'figures.firstResponseAgent': 'Agent first response',
  'figures.responseTimeAgent': 'Agent response time',
  'figures.waitTime': 'Wait until accepted',
  'figures.handleTime': 'Handle time',
  'figures.csat': 'CSAT',
  'figures.csatResponseRate': 'Rated',
  'figures.reopenRate': 'Reopened',
  'figures.concurrency': 'Chats at the same time',
  'sessions.agent.started': 'Agent sessions',
  'sessions.agent.open': 'Open agent sessions',
  'sessions.bot.started': 'Bot sessions',
  'sessions.bot.open': 'Open bot sessions',
  'chats.accepted': 'Chats accepted',
  'chats.finished': 'Chats finished',
  'chats.ratedGood': 'Rated good',
  'chats.ratedBad': 'Rated bad',
  'calls.total': 'Calls',
  'calls.byType.callback': 'Callbacks',
  'calls.byType.incoming': 'Incoming calls',
  'calls.byType.outgoing': 'Outgoing calls',
  'calls.byOutcome.ended': 'Calls ended',
  'calls.byOutcome.failed': 'Calls failed',
  'calls.byOutcome.open': 'Calls open',
  offlineMessages: 'Offline messages',
  'conversations.started': 'Bot conversations',
  'conversations.answeredByBotAlone': 'Answered by the bot alone',
  'conversations.agentRequested': 'Agent requested',
  'replies.delivered': 'Replies delivered',
  'replies.failed': 'Replies failed',
  'replies.suppressed': 'Replies not sent',
}
/** The name of a number in the statistics. */
export const figureName = (name: string) => said(figures, name)

const causes: Sentences = {
  contract: 'Breaks its contract',
  invalid: 'Breaks its contract',
  'not-json': 'Not JSON',
  unstorable: 'Cannot be stored',
  'wrong-key': 'Came under a wrong key',
  'unknown-event': 'Unknown event',
  'too-large': 'Too large',
  'refused-by-kafka': 'Refused by Kafka',
  unforeseen: 'A bug of the bridge',
}
/** Why a record is a dead letter, or a request in quarantine. */
export const causeWords = (code: string) => said(causes, code)

const letterStates: Sentences = {
  unresolved: 'Unresolved',
  sent: 'Sent',
  'failed-again': 'Failed again',
  erased: 'Person erased',
}
export const letterStateWords = (code: string) => said(letterStates, code)

const partStates: Sentences = { off: 'does not run' }
/** The state of a part of the bridge. */
export const partStateWords = (code: string) => said(partStates, code)

type Reasoned = { readonly cause: string; readonly reason?: string }
/** The reason of a letter in a list. One that the letter above it has too is not told again. */
export const letterReason = ({ cause, reason }: Reasoned, above: Reasoned | undefined): string | undefined =>
  reason !== undefined && above?.cause === cause && above.reason === reason ? 'the same reason' : reason

const checkTitles: Readonly<Record<CheckName, string>> = {
  kafka: 'Kafka',
  mongodb: 'MongoDB',
  'topics and indexes': 'Topics and indexes',
  journal: 'Journal of webhooks',
  projector: 'Conversations and statistics',
  enrichments: 'Details for agents',
  daily_stats: 'Days of the statistics',
  egress: 'Sending of replies',
  outcomes: 'Outcomes of replies',
  archiver: 'Archive',
  retention: 'Deletion of old records',
  'privacy.retainDays': 'Erasure of persons without recent events',
  console: 'Console',
  front: 'Process of webhooks and replies',
  back: 'Process of conversations and console',
  bridge: 'Bridge',
}
/** How the pages call a part of the bridge: a check by its name, or a service. */
export const partTitle = (name: string): string =>
  Object.hasOwn(checkTitles, name)
    ? checkTitles[name as CheckName]
    : `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`

const figuresParts: Sentences = { Agents: 'Agents by day', Failed: 'Failed replies' }
/** The name of a group of figures in the table of days. */
export const figuresPartWords = (code: string) => said(figuresParts, code)

type LettersWords = {
  readonly noun: string
  readonly title: string
  readonly about: string
}

/** How the pages of dead letters and of quarantine speak of what they list. */
export const lettersWords: Readonly<Record<LettersKind, LettersWords>> = {
  'dead-letters': {
    noun: 'letter',
    title: 'Letter',
    about: 'Replies and events that could not be processed. They are kept for 14 days.',
  },
  quarantine: {
    noun: 'request',
    title: 'Request',
    about: 'Requests of the chat service that could not be understood. They are kept for 14 days.',
  },
}

/** Why a server behind the console gave no answer. A whole sentence needs no introduction. */
export const unavailableWords = (reason: string | undefined): string => {
  if (reason === undefined) return 'A server behind the console does not answer.'
  return /^[A-Z].*\.$/s.test(reason) ? reason : `A server behind the console does not answer: ${reason}`
}
