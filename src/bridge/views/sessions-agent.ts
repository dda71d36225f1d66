import type { ChatMessage } from '../../../contracts/events/chat.ts'
import type { ChatEvent, ChatFinished } from '../../../contracts/events/index.ts'
import type { Agent } from '../../../contracts/events/parts.ts'
import type { Dated } from '../../../contracts/views/dated.ts'
import { maxOfSession, type SessionAgent, type SessionDocument } from '../../../contracts/views/session.ts'
import type { Guard } from './applied.ts'
import { type Line, writerOf } from './chat-log.ts'
import type { Recorded } from './document.ts'
import { earlier, isWithinMoments, later, msBetween, present } from './fields.ts'
import { auditDue, begin, evolveSessions, type Sessions, unknownChannel, withTurn } from './session-chain.ts'

const ratings: Readonly<Record<string, 'good' | 'bad'>> = {
  good: 'good',
  positive: 'good',
  like: 'good',
  bad: 'bad',
  negative: 'bad',
  dislike: 'bad',
}

/** The meaning of the client's rating of a chat. */
const ratingOf = (rate: string): 'good' | 'bad' | 'unknown' => {
  const word = rate.toLowerCase()
  return Object.hasOwn(ratings, word) ? (ratings[word] ?? 'unknown') : 'unknown'
}

/** The agents after new data about one of them. All others stay. */
const withAgent = (
  agents: SessionDocument['agents'],
  agent: Agent | undefined,
  changes: Partial<SessionAgent>,
): SessionDocument['agents'] => {
  const { id, name } = agent ?? {}
  // An agent whom the service sent without an id cannot be told from others.
  if (id === undefined) return agents
  const known = agents.find((each) => each.id === id)
  const next = { id, part: 'unknown', messages: 0, ...known, ...(name !== undefined && { name }), ...changes } as const
  if (known !== undefined) return agents.map((each) => (each === known ? next : each))
  return [...agents, next].slice(0, maxOfSession.agents)
}

const accepted = (session: SessionDocument, agent: Agent | undefined, at: Date): SessionDocument => {
  const before = session.agents.find(({ id }) => id === agent?.id)
  return {
    ...session,
    acceptedAt: session.acceptedAt ?? at,
    agents: withAgent(session.agents, agent, { part: 'accepted', acceptedAt: before?.acceptedAt ?? at }),
  }
}

/** The messages of this session. A log that begins at the same time as the log of the previous session continues it. */
const logOf = (before: SessionDocument, { data }: Dated<ChatFinished>): ReadonlyArray<Dated<ChatMessage>> => {
  const messages = data.chat?.messages ?? []
  const startedAt = messages[0]?.timestamp
  const goesOn = startedAt !== undefined && before.logStartedAt?.getTime() === startedAt.getTime()
  return goesOn ? messages.slice(before.logMessages) : messages
}

const isFromAgent = (line: Line): boolean => writerOf(line) === 'agent'
const isFromClient = (line: Line): boolean => writerOf(line) === 'client'

/** Adds each turn of the visitor that an agent answered. Times are to the second. */
const withTurns = (session: SessionDocument, log: ReadonlyArray<Dated<ChatMessage>>): SessionDocument => {
  let after = session
  let asked: Date | undefined
  for (const message of log) {
    const at = message.timestamp
    if (at === undefined) continue
    if (isFromClient(message)) asked ??= at
    else if (isFromAgent(message) && asked !== undefined) {
      after = withTurn(after, msBetween(asked, at))
      asked = undefined
    }
  }
  return after
}

const withWriters = (session: SessionDocument, log: ReadonlyArray<Dated<ChatMessage>>): SessionDocument['agents'] => {
  const byAgent = Map.groupBy(
    log.filter((message) => isFromAgent(message) && message.agentId !== undefined),
    ({ agentId }) => agentId,
  )
  return [...byAgent].reduce((agents, [id, messages]) => {
    if (id === undefined) return agents
    const times = messages.flatMap(({ timestamp }) => timestamp ?? [])
    const [first, last] = [times[0], times.at(-1)]
    const known = agents.find((agent) => agent.id === id)
    return withAgent(
      agents,
      { id },
      {
        part: known?.part === 'accepted' ? 'accepted' : 'wrote',
        messages: messages.length,
        ...(first && { firstMessageAt: first }),
        ...(last && { lastMessageAt: last }),
      },
    )
  }, session.agents)
}

const finished = (before: SessionDocument, event: Dated<ChatFinished>): SessionDocument => {
  const { chat = {}, agents = [] } = event.data
  const endsAt = event.time
  const log = logOf(before, event)
  const messages = chat.messages ?? []
  const startedAt = messages[0]?.timestamp
  const session = {
    ...before,
    logMessages: messages.length,
    ...(startedAt && { logStartedAt: startedAt }),
  }
  const known = { ...session, agents: agents.reduce((all, agent) => withAgent(all, agent, {}), session.agents) }
  const { acceptedAt } = session
  const askedAt = log.find(isFromClient)?.timestamp
  return {
    ...withTurns(known, log),
    outcome: 'finished',
    ending: 'finished',
    endsAt,
    agents: withWriters(known, log),
    clientMessages: log.filter(isFromClient).length,
    replies: log.filter(isFromAgent).length,
    ...(chat.blacklisted !== undefined && { blacklisted: chat.blacklisted }),
    audit: auditDue,
    ...(chat.rate !== undefined && { rate: chat.rate, rating: ratingOf(chat.rate) }),
    ...(acceptedAt && askedAt && askedAt <= acceptedAt && { waitMs: msBetween(askedAt, acceptedAt) }),
    ...(acceptedAt && { handleMs: msBetween(acceptedAt, endsAt) }),
  }
}

/** Adds what each event says about the chat. The page and the campaign are those of the first event that has them. */
const described = (session: SessionDocument, { data, time }: Dated<ChatEvent>): SessionDocument => {
  const pageUrl = session.pageUrl ?? data.page?.url
  const utm = session.utm ?? data.session?.utmJson
  return {
    ...session,
    lastEventAt: later(session.lastEventAt, time),
    ...(data.widgetId !== undefined && { channelId: data.widgetId }),
    ...(data.visitor?.number !== undefined && { visitorNumber: data.visitor.number }),
    ...(pageUrl !== undefined && { pageUrl }),
    ...(utm && { utm: present(utm, 'source', 'campaign', 'content', 'medium', 'term') }),
  }
}

/**
 * Whether an acceptance comes moments after the end of a chat that was never accepted before. Then it belongs to the
 * session that has ended: the end has overtaken it.
 */
const isOvertaken = (
  { acceptedAt, previousAcceptedAt, endsAt }: SessionDocument,
  { type, time }: Dated<ChatEvent>,
): boolean =>
  type === 'ChatAccepted' &&
  acceptedAt === undefined &&
  previousAcceptedAt === undefined &&
  endsAt !== undefined &&
  isWithinMoments(endsAt, time)

/**
 * The next session begins when a finished chat is accepted or finished again, so a second rating never replaces the
 * first. All other events of a finished chat belong to the session that has ended.
 */
const fold = (before: SessionDocument | undefined, event: Dated<ChatEvent>, guard: Guard): SessionDocument => {
  const opens = event.type === 'ChatAccepted' || event.type === 'ChatFinished'
  const stays = before !== undefined && (before.ending === undefined || !opens || isOvertaken(before, event))
  const session: SessionDocument = described(
    stays
      ? { ...before, ...guard }
      : begin(
          { kind: 'agent', outcome: 'open', channelId: event.data.widgetId ?? unknownChannel },
          before,
          event,
          guard,
        ),
    event,
  )
  switch (event.type) {
    case 'ChatAccepted':
      return accepted(session, event.data.agent, earlier(event.time, session.endsAt ?? event.time))
    case 'ChatFinished':
      return finished(session, event)
    // Any other event of a chat tells a session only who takes part.
    default:
      return { ...session, agents: withAgent(session.agents, event.data.agent, {}) }
  }
}

/** The agent sessions of a chat from its events in `chats`. */
export const evolveAgentSessions = (current: SessionDocument | undefined, recorded: Recorded<ChatEvent>): Sessions =>
  evolveSessions(current, recorded, fold)
