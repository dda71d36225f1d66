import * as t from 'io-ts'
import { messageTypes } from '../../../contracts/messages/index.ts'
import { BsonDate } from '../../../contracts/primitives.ts'
import { botConversations } from '../../../contracts/topics.ts'
import { type SessionDocument, sessions } from '../../../contracts/views/session.ts'
import { type TimelineDocument, timeline } from '../../../contracts/views/timeline.ts'
import { maxDifferences, type TranscriptAudit } from '../../../contracts/views/transcript-audit.ts'
import { writerOf } from './chat-log.ts'
import { commonSequence } from './common-sequence.ts'

/** The fields that an audit reads of an entry in timeline. */
export type Entry = Pick<
  TimelineDocument,
  '_id' | 'type' | 'time' | 'topic' | 'partition' | 'offset' | 'data' | 'erased'
>
type Session = Pick<SessionDocument, 'endsAt' | 'previousEndedAt' | 'agents'>
type Reason = NonNullable<TranscriptAudit['reason']>
type Difference = TranscriptAudit['differences'][number]
type From = Difference['from']

/** The events that an audit reads. */
const auditedTypes = ['ChatFinished', 'ClientMessageReceived', 'BotReplyDelivered', 'AgentJoined'] as const

/** Which documents have an audit, and what it is made from. */
export const audited = {
  view: sessions.name,
  /** The documents with an audit, and those whose audit is due. */
  having: { kind: 'agent', audit: { $exists: true } },
  due: { 'audit.state': 'due' },
  from: {
    view: timeline.name,
    types: { $in: [...auditedTypes] },
    fields: { type: 1, time: 1, topic: 1, partition: 1, offset: 1, erased: 1, data: 1 },
  },
} as const

/** The chat whose audits are due again after a document of a view was written: a change of what they are made from. */
export const auditedAgain = (view: string, document: object) => {
  if (view !== audited.from.view) return undefined
  const { accountId, chatId, topic, erased } = document as TimelineDocument
  return chatId !== undefined && (topic === botConversations.name || erased) ? { accountId, chatId } : undefined
}

const Log = t.type({
  chat: t.type({
    messages: t.array(t.partial({ message: t.string, type: t.string, timestamp: BsonDate, agentId: t.string })),
  }),
})
type Line = t.TypeOf<typeof Log>['chat']['messages'][number]
const Written = t.type({
  message: t.intersection([t.type({ text: t.string }), t.partial({ type: t.string, timestamp: BsonDate })]),
})
const Attempted = t.type({ attempts: t.array(t.type({ at: BsonDate })) })

/** A message of the transcript: its index in the log, its writer and its text. */
type TranscriptMessage = { readonly index: number; readonly from: From | 'agent'; readonly words: string }
/**
 * A message that the bridge saw. `words` are all texts that the log may show for it. `exactly` if the log can show
 * nothing else. A message that is not `expected` may belong to another session, so it is not reported as missing.
 */
type Seen = {
  readonly id: string
  readonly from: From
  readonly words: ReadonlyArray<string>
  readonly exactly: boolean
  readonly expected: boolean
}
type Pair = readonly [TranscriptMessage, Seen]

/** How many lines belong to the session before: a log that begins at the same time continues it (sessions-agent.ts). */
const ownLines = (log: ReadonlyArray<Line>, before: ReadonlyArray<Line> = []) =>
  before.length > 0 && log[0]?.timestamp?.getTime() === before[0]?.timestamp?.getTime() ? before.length : 0

const transcriptMessageOf = ({ message, type, agentId }: Line, index: number): TranscriptMessage | undefined => {
  const writer = writerOf(type === undefined ? {} : { type })
  if (message === undefined || writer === undefined) return undefined
  // Some accounts show the bot's messages as those of an agent whom they do not name.
  return { index, from: writer === 'agent' && agentId === undefined ? 'bot' : writer, words: message }
}

const shownAsTheyAre: ReadonlySet<string> = new Set(
  messageTypes.filter(({ isShownAsItIs }) => isShownAsItIs).map(({ type }) => type),
)
/** The fields that have the words of a message, beside its plain text. */
const wordFields = messageTypes.map(({ words }) => words).filter((name) => name !== 'text')
const otherWords = (message: object): ReadonlyArray<string> =>
  wordFields.map((name): unknown => Reflect.get(message, name)).filter((words) => typeof words === 'string')

/** Around a finish, requests of the two interfaces may overtake each other while the service retries them. */
const edgeMs = 10_000
const toSecond = (at: Date): number => Math.floor(at.getTime() / 1000)

type Span = { readonly from: number; readonly until: number }

/** The message of an entry in the span of a session. Undefined if it is of another session, or not a message. */
const seenIn =
  (span: Span, lines: ReadonlyArray<Line>) =>
  ({ _id: id, type, time, data }: Entry): Seen | undefined => {
    if (!Written.is(data)) return undefined
    const { message } = data
    const began = type === 'BotReplyDelivered' && Attempted.is(data) ? (data.attempts[0]?.at ?? time) : time
    const times = lines.flatMap(({ timestamp }) => timestamp ?? [])
    const [first, last] = [times[0], times.at(-1)]
    // Both times are the service's. So a message that was accepted late, for example from quarantine, is still of its
    // session.
    const { timestamp: sentAt } = message
    const isLate =
      type === 'ClientMessageReceived' && first && last && sentAt
        ? toSecond(sentAt) >= toSecond(first) && toSecond(sentAt) <= toSecond(last)
        : false
    const isNear = time.getTime() > span.from - edgeMs && began.getTime() < span.until + edgeMs
    if (!isNear && !isLate) return undefined
    return {
      id,
      from: type === 'BotReplyDelivered' ? 'bot' : 'client',
      words: [message.text, ...otherWords(message)],
      exactly: message.type !== undefined && shownAsTheyAre.has(message.type),
      expected: began.getTime() > span.from + edgeMs && time.getTime() <= span.until,
    }
  }

/**
 * Sorts by offset. Several partitions or topics are sorted by time: partitions were added, or the topic was deleted and
 * created again.
 */
const inOrder = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  const isOne = entries.every(
    ({ topic, partition }) => topic === entries[0]?.topic && partition === entries[0].partition,
  )
  return entries.toSorted((a, b) => (isOne ? a.offset - b.offset : a.time.getTime() - b.time.getTime()))
}

/**
 * Who had the chat at each message of the transcript. An agent's message shows that an agent had it. A client's or
 * bot's message that the bridge saw too shows that the bot had it. `agent`: the last such message up to here is an
 * agent's. Otherwise `bot`: the next one shows the bot, or there is none in a chat without agents. Otherwise `either`.
 */
const hadBy = (lines: ReadonlyArray<TranscriptMessage>, pairs: ReadonlyArray<Pair>, hadAgents: boolean) => {
  const common = new Set(pairs.map(([{ index }]) => index))
  const signs = lines.map(({ index, from }) => (from === 'agent' ? 'agent' : common.has(index) ? 'bot' : undefined))
  let before: 'agent' | 'bot' | undefined
  const earlier = signs.map((sign) => {
    before = sign ?? before
    return before
  })
  let after: 'agent' | 'bot' = hadAgents ? 'agent' : 'bot'
  const later = signs
    .toReversed()
    .map((sign) => {
      after = sign ?? after
      return after
    })
    .toReversed()
  return lines.map((_, i) => (earlier[i] === 'agent' ? 'agent' : later[i] === 'bot' ? 'bot' : 'either'))
}

/** The differences of one writer, as few as possible. `pairs` are messages that both sides have in the same order. */
const differencesOf = (
  from: From,
  transcript: ReadonlyArray<TranscriptMessage>,
  seen: ReadonlyArray<Seen>,
  pairs: ReadonlyArray<Pair>,
  had: (message: TranscriptMessage) => 'agent' | 'bot' | 'either',
): ReadonlyArray<Difference> => {
  const differences: Difference[] = []
  const paired = new Set<TranscriptMessage | Seen>(pairs.flat())
  const gapOf = (all: ReadonlyArray<TranscriptMessage | Seen>) => {
    let gap = 0
    return new Map(all.map((each) => [each, paired.has(each) ? gap++ : gap]))
  }
  const gaps = new Map([...gapOf(transcript), ...gapOf(seen)])
  const isMissed = (one: TranscriptMessage) => from === 'client' && had(one) === 'bot'
  const differ = (kind: Difference['kind'], one: TranscriptMessage | undefined, other: Seen | undefined) =>
    differences.push({ kind, from, ...(one && { index: one.index }), ...(other && { event: other.id }) } as Difference)

  const meet = (fits: (one: TranscriptMessage, other: Seen) => boolean, kind: 'order' | 'text') => {
    for (const other of seen) {
      if (paired.has(other)) continue
      const one = transcript.find((each) => !paired.has(each) && fits(each, other))
      if (one === undefined) continue
      paired.add(one).add(other)
      if (other.expected && (kind === 'order' || other.exactly)) differ(kind, one, other)
    }
  }
  meet((one, other) => other.words.includes(one.words), 'order')
  meet((one, other) => other.expected && had(one) !== 'agent' && gaps.get(one) === gaps.get(other), 'text')
  for (const one of transcript) if (!paired.has(one) && isMissed(one)) differ('not-received', one, undefined)
  for (const other of seen) if (!paired.has(other) && other.expected) differ('not-in-transcript', undefined, other)
  return differences
}

const notCompared = (reason: Reason): TranscriptAudit => ({ state: 'not-compared', differences: [], reason })

/**
 * Compares the transcript of a finished session with all entries of its chat in timeline. Timeline has the events of
 * both topics, each once, including late and repeated ones. Pure: the same session and entries give the same audit, in
 * any order of the entries. contracts/views/transcript-audit.ts lists what cannot be compared.
 */
export const transcriptAudit = (session: Session, entries: ReadonlyArray<Entry>): TranscriptAudit => {
  const { endsAt, previousEndedAt } = session
  const finishAt = (at: Date | undefined) =>
    entries.find(({ type, time }) => type === 'ChatFinished' && time.getTime() === at?.getTime())
  const finish = finishAt(endsAt)
  if (finish === undefined || endsAt === undefined) return notCompared('event-missing')
  if (entries.some(({ erased }) => erased)) return notCompared('erased')
  if (entries.some(({ data }) => data === undefined)) return notCompared('event-too-large')
  if (!Log.is(finish.data)) return notCompared('event-missing')
  const earlier = finishAt(previousEndedAt)?.data
  const log = finish.data.chat.messages
  const skipped = ownLines(log, Log.is(earlier) ? earlier.chat.messages : [])
  const lines = log.slice(skipped)
  if (lines.length === 0) return notCompared('empty-transcript')
  const transcript = lines.flatMap((line, i) => transcriptMessageOf(line, skipped + i) ?? [])
  const span = { from: previousEndedAt?.getTime() ?? Number.NEGATIVE_INFINITY, until: endsAt.getTime() }
  const ofBot = inOrder(entries.filter(({ type }) => type !== 'ChatFinished'))
  const seen = ofBot.flatMap((entry) => seenIn(span, lines)(entry) ?? [])
  if (!seen.some(({ expected }) => expected)) return notCompared('no-bot-conversation')

  const side = (from: From) => {
    const [theirs, all] = [transcript.filter((each) => each.from === from), seen.filter((each) => each.from === from)]
    // Messages that may belong to another session come last. They explain the messages that the others leave unpaired.
    const ours = [...all.filter(({ expected }) => expected), ...all.filter(({ expected }) => !expected)]
    const pairs = commonSequence(
      theirs,
      ours.filter(({ expected }) => expected),
      (one, other) => other.words.includes(one.words),
    )
    return { theirs, ours, pairs }
  }
  const [client, bot] = [side('client'), side('bot')]
  if (client.pairs === undefined || bot.pairs === undefined) return notCompared('too-many-messages')
  const pairs = [...client.pairs, ...bot.pairs]
  if (pairs.length === 0) return notCompared('nothing-in-common')
  const joined = ofBot.some(
    ({ type, time }) => type === 'AgentJoined' && time.getTime() > span.from && time.getTime() <= span.until,
  )
  const had = hadBy(transcript, pairs, joined || session.agents.length > 0)
  const hadOf = (message: TranscriptMessage) => had[transcript.indexOf(message)] ?? 'either'
  const hasBot = bot.pairs.length > 0
  const differences = [
    ...differencesOf('client', client.theirs, client.ours, client.pairs, hadOf),
    ...(hasBot ? differencesOf('bot', bot.theirs, bot.ours, bot.pairs, hadOf) : []),
  ]
  const hasReplies = bot.ours.some(({ expected }) => expected)
  return {
    state: 'compared',
    differences: differences.slice(0, maxDifferences),
    ...(hasReplies && { replies: hasBot ? ('compared' as const) : ('no-bot-messages-in-transcript' as const) }),
  }
}
