import { dayMs } from '../../../bridge/shared/time.ts'
import { count, counted, dayOfTime, duration } from '../../browser/format.ts'
import {
  differenceWords,
  endingWords,
  notComparedWords,
  outcomeWords,
  sessionState,
  stateWords,
} from '../../browser/words.ts'
import type { ConversationAnswer } from './story.ts'
import { type Entry, entryOf, pendingEntry } from './story-entry.ts'

/** The heading at the start of a session. */
export type SessionHead = {
  readonly key: string
  readonly at: string
  readonly title: string
  readonly outcome: string
  readonly facts: ReadonlyArray<string>
}

export type StoryItem = { readonly session: SessionHead } | { readonly entry: Entry }

const time = (text: string) => Date.parse(text) || 0

type Session = ConversationAnswer['sessions'][number]

const auditFacts = ({ audit }: Session): ReadonlyArray<string> => {
  if (audit === undefined) return []
  const { state, reason = '' } = audit
  const differences = audit.differences.length
  if (state === 'due') return ['The service’s transcript is being compared.']
  if (state === 'not-compared') return [`The service’s transcript was not compared. ${notComparedWords(reason)}`]
  if (differences === 0) return ['The service’s transcript agrees with what the bridge saw.']
  return [`The service’s transcript has ${counted(differences, 'difference')} from what the bridge saw.`]
}

const headOf = (session: Session, now: number): SessionHead => {
  const { kind, number, outcome, startedAt, endsAt, ending, awaitingSince } = session
  const { clientMessages, replies, firstResponseMs: first, interventions = 0 } = session
  return {
    key: `session/${kind}/${number}`,
    at: startedAt,
    title: `${kind === 'bot' ? 'Bot' : 'Agent'} session ${number}`,
    outcome: sessionState({
      kind,
      outcome,
      isOpen: ending === undefined && (endsAt === undefined || Date.parse(endsAt) > now),
      waits: awaitingSince !== undefined,
    }).words,
    facts: [
      `${counted(clientMessages, 'client message')}, ${counted(replies, 'reply', 'replies')}.`,
      ...(first === undefined ? [] : [`First answer after ${duration(first)}.`]),
      ...(interventions === 0 ? [] : [`The bridge acted itself ${counted(interventions, 'time')}.`]),
      ...(ending === undefined ? [] : [endingWords(ending)]),
      ...auditFacts(session),
    ],
  }
}

type Chat = Pick<ConversationAnswer, 'sessions' | 'chat' | 'conversation'>

const inOrderOf = (sessions: ReadonlyArray<Session>): ReadonlyArray<Session> =>
  sessions.toSorted((a, b) => time(a.startedAt) - time(b.startedAt))

/** True if the chat has no open session: nothing more is expected, and a new message begins another session. */
export const isOver = ({ sessions, chat, conversation }: Chat, now: number): boolean => {
  // A bot session ends when an agent joins. Without a webhook of the chat nothing says when the agent has left.
  const isWithAgent = chat === undefined && conversation?.state === 'agent'
  const ends = sessions.map(({ endsAt = '' }) => Date.parse(endsAt) + (isWithAgent ? dayMs : 0))
  return chat?.state !== 'open' && ends.length > 0 && ends.every((end) => end <= now)
}

/** The state of a bot conversation. After the end of the chat nobody has it or is waited for: the outcome says how it ended. */
export const stateText = ({ sessions, conversation }: Chat, isChatOver: boolean): string => {
  const state = conversation?.state ?? ''
  const last = inOrderOf(sessions).at(-1)
  return isChatOver && state !== 'closed' ? outcomeWords(last?.outcome ?? '') : stateWords(state)
}

type Replies = Pick<NonNullable<Chat['conversation']>, 'repliesDelivered' | 'repliesFailed' | 'repliesSuppressed'>
type Delivered = Pick<ConversationAnswer['deliveries'][number], 'commandType' | 'state' | 'because'>

/**
 * `3 delivered, 1 failed, handed over`. The documents count all commands. Messages of the bridge itself are no replies
 * of the bot, and a hand-over is no message.
 */
export const repliesText = (conversation: Replies, deliveries: ReadonlyArray<Delivered>): string => {
  const states = [
    ['repliesDelivered', 'delivered', 'delivered'],
    ['repliesFailed', 'failed', 'failed'],
    ['repliesSuppressed', 'suppressed', 'not sent'],
  ] as const
  const isHandOver = ({ commandType }: Delivered) => commandType === 'InviteAgent'
  const others = deliveries.filter((each) => isHandOver(each) || each.because !== undefined)
  const told = states.flatMap(([name, state, words]) => {
    const size = conversation[name] - others.filter((each) => each.state === state).length
    return size <= 0 ? [] : [`${count(size)} ${words}`]
  })
  const handedOver = deliveries.some((each) => isHandOver(each) && each.state === 'delivered')
  return [...(told.length === 0 ? ['none'] : told), ...(handedOver ? ['handed over'] : [])].join(', ')
}

const notYetKnown = 'not known before the chat is finished'
const notReported = 'not known, because no webhook says what the agent did'

/**
 * `after 2.4 s, by the bot`: the first answer in the chat, and that of an agent if the bot was first. A client whom the
 * bot did not answer has waited since the bot session began. `none` if nobody answered. While an agent has the chat
 * nobody can tell: the service sends an agent's messages when the chat ends. Nobody can ever tell without a webhook of it.
 */
export const firstResponses = (
  sessions: ReadonlyArray<Session>,
): { readonly first: string; readonly ofAgent: string } => {
  const inOrder = inOrderOf(sessions)
  const isOf = (kind: Session['kind']) => (session: Session) => session.kind === kind
  const isAnswered = ({ firstResponseMs }: Session) => firstResponseMs !== undefined
  const answered = inOrder.find(isAnswered)
  const isOpen = inOrder.some((each) => isOf('agent')(each) && each.endsAt === undefined)
  const joined = inOrder.findLastIndex(({ ending }) => ending === 'agent-joined')
  const isReported = joined < 0 || inOrder.slice(joined).some(isOf('agent'))
  const unknown = isOpen ? notYetKnown : isReported ? undefined : notReported
  if (answered === undefined) {
    const isAsked = inOrder.some(({ clientMessages }) => clientMessages > 0)
    return { first: unknown ?? (isAsked ? 'none' : ''), ofAgent: '' }
  }
  const after = ({ firstResponseMs = 0 }: Session) => `after ${duration(firstResponseMs)}`
  if (isOf('bot')(answered)) {
    const agentSession = inOrder.filter(isOf('agent')).find(isAnswered)
    const ofAgent = agentSession === undefined ? (unknown ?? '') : after(agentSession)
    return { first: `${after(answered)}, by the bot`, ofAgent }
  }
  const [asked] = inOrder.slice(0, inOrder.indexOf(answered)).filter(isOf('bot'))
  const [wroteAt] = answered.agents
    .map(({ firstMessageAt = '' }) => time(firstMessageAt))
    .filter((at) => at > 0)
    .sort((a, b) => a - b)
  const waited = wroteAt === undefined ? 0 : wroteAt - time(asked?.startedAt ?? '')
  return {
    first: `${asked !== undefined && waited > 0 ? `after ${duration(waited)}` : after(answered)}, by an agent`,
    ofAgent: '',
  }
}

/** `9661ab9c` of `acme/2037/bot/9661ab9c`. */
const ceIdOf = (timelineId: string) => timelineId.split('/').slice(3).join('/')

/** The audit's findings by event, under the event's timeline id and under its CloudEvents id. */
const differencesByEvent = (sessions: ReadonlyArray<Session>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, ReadonlyArray<string>>()
  for (const { event, kind } of sessions.flatMap(({ audit }) => audit?.differences ?? [])) {
    if (event === undefined) continue
    for (const id of [event, ceIdOf(event)]) found.set(id, [...(found.get(id) ?? []), differenceWords(kind)])
  }
  return found
}

/** The agent session that an event at this time belongs to. */
const sessionAt = (sessions: ReadonlyArray<Session>, text: string): Session | undefined =>
  inOrderOf(sessions)
    .filter(({ kind, startedAt }) => kind === 'agent' && time(startedAt) <= time(text))
    .at(-1)

/** Adds to the lines of a transcript the audit's findings about messages that the bridge never received. */
const withDifferences = (entry: Entry, sessions: ReadonlyArray<Session>): Entry => {
  if (entry.transcript.length === 0) return entry
  const differences = sessionAt(sessions, entry.at)?.audit?.differences ?? []
  return {
    ...entry,
    transcript: entry.transcript.map((line, i) => ({
      ...line,
      differences: differences.filter(({ index }) => index === i).map(({ kind }) => differenceWords(kind)),
    })),
  }
}

/** The whole story of a chat, oldest first: sessions, messages and steps. */
export const storyOf = (
  { events, sessions, deliveries }: ConversationAnswer,
  now = Date.now(),
): ReadonlyArray<StoryItem> => {
  const differences = differencesByEvent(sessions)
  const entries = events.map(entryOf).map((entry) => {
    const own = differences.get(entry.key)
    return withDifferences(own === undefined ? entry : { ...entry, differences: own }, sessions)
  })
  const pending = deliveries.filter(({ state }) => state === 'pending').map(pendingEntry)
  const items: ReadonlyArray<readonly [string, StoryItem]> = [
    ...sessions.map((session) => headOf(session, now)).map((session) => [session.at, { session }] as const),
    ...[...entries, ...pending].map((entry) => [entry.at, { entry }] as const),
  ]
  return [...items].sort(([a], [b]) => time(a) - time(b)).map(([, item]) => item)
}

/** A separator between items: another day, or some time in which nothing happened. */
export type Separator = { readonly day: string } | { readonly gap: string; readonly key: string }

const shortestGapMs = 60_000

const itemTime = (item: StoryItem) => time('session' in item ? item.session.at : item.entry.at)

/**
 * Puts a line before the first item of each day, and words where a client, or the story, waited for a minute or more.
 */
export const withTimes = (items: ReadonlyArray<StoryItem>): ReadonlyArray<StoryItem | Separator> => {
  const lines: Array<StoryItem | Separator> = []
  let before: number | undefined
  let day = ''
  let isUnanswered = false
  for (const item of items) {
    const at = itemTime(item)
    const gap = before === undefined ? 0 : at - before
    if (gap >= shortestGapMs) {
      const words = isUnanswered ? `${duration(gap)} without an answer` : `${duration(gap)} later`
      lines.push({ gap: words, key: 'session' in item ? item.session.key : item.entry.key })
    }
    const today = dayOfTime(at)
    if (today !== day) lines.push({ day: today })
    day = today
    lines.push(item)
    before = at
    if ('entry' in item) {
      const { who, text, state } = item.entry
      const isSent = state === undefined || state === 'delivered'
      if (who === 'client') isUnanswered = text !== undefined
      else if ((text !== undefined && isSent) || who === 'agent') isUnanswered = false
    }
  }
  return lines
}

/** Puts older events before the newer ones that are shown. Each event appears once. */
export const withEarlier = (
  earlier: ReadonlyArray<ConversationAnswer['events'][number]>,
  events: ReadonlyArray<ConversationAnswer['events'][number]>,
): ReadonlyArray<ConversationAnswer['events'][number]> => {
  const shown = new Set(events.map(({ id }) => id))
  return [...earlier.filter(({ id }) => !shown.has(id)), ...events]
}
