import * as E from 'fp-ts/lib/Either.js'
import type { ConversationEvent, DomainEvent } from '../../../contracts/events/index.ts'
import { archiveNameOf, botConversations } from '../../../contracts/topics.ts'
import { silenceMs } from '../../../contracts/views/session.ts'
import { archivedPlace, type Restore } from '../../archive/restore.ts'
import type { IncomingRecord, OffsetRange } from '../../domain/ports.ts'
import type { KafkaPorts } from '../../kafka/kafka.ts'
import { fromRecord } from '../../kafka/records.ts'
import type { ErasedMeanwhile } from './erased-meanwhile.ts'
import { readSlices } from './read-slices.ts'

/** Why a chat is left out. */
export type Skipped = 'erased' | 'late-events' | 'agent-first' | 'no-bot-message'

/** A chat's events in the order of the log, or why they are not told. */
export type LoggedChat = { readonly chatId: string } & (
  | { readonly events: ReadonlyArray<ConversationEvent> }
  | { readonly skipped: Skipped }
)

/** Which records are read of each partition: from `from` to before `to`. */
export type Offsets = ReadonlyMap<string, ReadonlyMap<number, { readonly from: number; readonly to: number }>>

export type Source = {
  readonly chats: AsyncGenerator<LoggedChat>
  readonly offsets: Offsets
  /** Records so far, of those that are read. */
  readonly progress: () => { readonly done: number; readonly total: number }
  /** Records that cannot be decoded, differ from what was archived, or whose key is lost. */
  readonly unreadable: () => number
}

type Deps = {
  readonly kafka: Pick<KafkaPorts, 'ranges' | 'readTopic' | 'offsetsAt' | 'topicIds' | 'fetchRecord'>
  /** Undefined if ARCHIVE_KEY_FILE is not set. */
  readonly restore: Restore | undefined
  /** Finds chats with events that came after the marker of their erasure. */
  readonly erasedAmong: ErasedMeanwhile['among']
  readonly signal: AbortSignal
}

/** In ms since 1970. Of events at `until` or later, only the markers of erasures count. */
export type Span = { readonly account: string; readonly from: number; readonly until: number }

const topic = botConversations.name
const archive = archiveNameOf(topic)

type Part = { readonly from: number; readonly to: number }
type Parts = ReadonlyMap<number, Part>

const total = (parts: Parts): number =>
  [...parts.values()].reduce((sum, { from, to }) => sum + Math.max(0, to - from), 0)

const partOf =
  (parts: Parts) =>
  (partition: number, { high }: OffsetRange): OffsetRange => {
    const { from, to } = parts.get(partition) ?? { from: high, to: high }
    return { low: from, high: Math.min(to, high) }
  }

/**
 * From where each partition is read. A chat is known from a day before the span on: after a day of silence a new
 * session begins. The archive is read where the topic no longer has that.
 */
const planOf = async (
  { kafka }: Deps,
  { from }: Span,
  present: string,
): Promise<{ readonly plain: Parts; readonly archived: Parts }> => {
  const since = from - silenceMs
  const [ranges, starts] = [await kafka.ranges(topic), await kafka.offsetsAt(topic, since)]
  const plain = new Map(
    [...ranges]
      .sort(([a], [b]) => a - b)
      .map(([partition, { low, high }]) => {
        const start = starts.get(partition) ?? high
        return [partition, { from: Math.max(low, start), to: high }]
      }),
  )
  const begun = [...ranges].filter(([partition, { low }]) => (starts.get(partition) ?? 0) <= low)
  if (begun.length === 0) return { plain, archived: new Map() }
  // A record was archived after it was received. So none of these is before that place.
  const [ends, archiveStarts] = [await kafka.ranges(archive), await kafka.offsetsAt(archive, since)]
  const archived = new Map<number, Part>()
  for (const [partition, { low: first }] of begun) {
    const { high = 0, low = 0 } = ends.get(partition) ?? {}
    const start = Math.max(low, archiveStarts.get(partition) ?? high)
    if (start >= high) continue
    // A topic that begins with its first record is whole, unless an earlier topic of this name had others.
    const oldest = first > 0 ? undefined : await kafka.fetchRecord(archive, partition, start)
    if (first > 0 || (oldest && archivedPlace(oldest)?.generation !== present))
      archived.set(partition, { from: start, to: high })
  }
  return { plain, archived }
}

type Chat = { readonly events: ConversationEvent[]; isErased: boolean; isLate: boolean }

const isConversation = (event: DomainEvent): event is ConversationEvent => event.type !== 'ChatErased'

/** The first event that says who has the chat. */
const isAgentFirst = (events: ReadonlyArray<ConversationEvent>): boolean =>
  events.find(({ type }) => !type.startsWith('BotReply'))?.type === 'AgentJoined'

/**
 * The chats of an account with events in the span, partition after partition, each partition's in the order in which
 * they begin. Chats that were erased at any time are skipped: the log is read to its end for that.
 */
export const readChats = async (deps: Deps, span: Span): Promise<Source> => {
  const { kafka, restore, erasedAmong, signal } = deps
  const present = (await kafka.topicIds([topic])).get(topic) ?? ''
  const { plain, archived } = await planOf(deps, span, present)
  if (archived.size > 0 && restore === undefined)
    throw new Error(`${topic}: its first records are only in the archive, and ARCHIVE_KEY_FILE is not set`)
  let [done, unreadable] = [0, 0]

  async function* restored(): AsyncGenerator<ReadonlyArray<IncomingRecord>> {
    if (archived.size === 0 || restore === undefined) return
    const reached = new Map<string, number>()
    for await (const records of readSlices(kafka.readTopic, archive, partOf(archived), signal)) {
      const found: IncomingRecord[] = []
      for (const each of await restore(records)) {
        if (each.kind === 'corrupt' || each.kind === 'lost') unreadable++
        if (each.kind !== 'record') continue
        const { record, generation } = each
        const place = `${generation} ${record.partition}`
        // The archive may have a record twice, and the topic may still have it.
        if (record.offset < (reached.get(place) ?? 0)) continue
        reached.set(place, record.offset + 1)
        if (generation === present && record.offset >= (plain.get(record.partition)?.from ?? 0)) continue
        if (record.timestamp >= span.from - silenceMs) found.push(record)
      }
      done += records.length
      if (found.length > 0) yield found
    }
  }
  async function* current(): AsyncGenerator<ReadonlyArray<IncomingRecord>> {
    for await (const records of readSlices(kafka.readTopic, topic, partOf(plain), signal)) {
      done += records.length
      yield records
    }
  }

  /** Both, with the archive of a partition before the partition itself. */
  async function* slices(): AsyncGenerator<ReadonlyArray<IncomingRecord>> {
    const [old, now] = [restored(), current()]
    try {
      let [one, other] = [await old.next(), await now.next()]
      while (one.done !== true || other.done !== true) {
        const [before, after] = [one.done ? undefined : one.value, other.done ? undefined : other.value]
        const isOld =
          before !== undefined && (after === undefined || (before[0]?.partition ?? 0) <= (after[0]?.partition ?? 0))
        yield (isOld ? before : after) ?? []
        if (isOld) one = await old.next()
        else other = await now.next()
      }
    } finally {
      await Promise.all([old.return(undefined), now.return(undefined)])
    }
  }

  const take = (chats: Map<string, Chat>, record: IncomingRecord) => {
    const key = `${record.key}`
    if (!key.startsWith(`${span.account}/`)) return
    const event = fromRecord(record)
    if (E.isLeft(event)) {
      unreadable++
      return
    }
    const isMarker = event.right.type === 'ChatErased'
    if (!isMarker && Date.parse(event.right.time) >= span.until) return
    const chat = chats.get(key) ?? { events: [], isErased: false, isLate: false }
    chats.set(key, chat)
    if (isMarker || record.erased) chat.isErased = true
    if (event.right.receivedTime !== undefined) chat.isLate = true
    if (isConversation(event.right)) chat.events.push(event.right)
  }

  async function* told(open: ReadonlyMap<string, Chat>): AsyncGenerator<LoggedChat> {
    const chats = new Map([...open].map(([key, chat]) => [key.slice(span.account.length + 1), chat]))
    const erased = await erasedAmong(new Map([...chats].map(([chatId, { events }]) => [chatId, events])))
    for (const [chatId, { events, isErased, isLate }] of chats) {
      if (isErased || erased.has(chatId)) yield { chatId, skipped: 'erased' }
      else if (isLate) yield { chatId, skipped: 'late-events' }
      else if (isAgentFirst(events)) yield { chatId, skipped: 'agent-first' }
      else yield { chatId, events }
    }
  }

  async function* chats(): AsyncGenerator<LoggedChat> {
    let partition = -1
    let open = new Map<string, Chat>()
    for await (const records of slices())
      for (const record of records) {
        if (record.partition !== partition) {
          yield* told(open)
          open = new Map()
          partition = record.partition
        }
        take(open, record)
      }
    yield* told(open)
  }
  return {
    chats: chats(),
    offsets: new Map([[topic, plain], ...(archived.size > 0 ? [[archive, archived] as const] : [])]),
    progress: () => ({ done, total: total(plain) + total(archived) }),
    unreadable: () => unreadable,
  }
}
