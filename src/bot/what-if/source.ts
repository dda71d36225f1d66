import * as E from 'fp-ts/lib/Either.js'
import type { ConversationEvent, DomainEvent } from '../../../contracts/events/index.ts'
import type { IncomingRecord } from '../../bridge/domain/log/record.ts'
import { fromRecord } from '../../bridge/kafka/records.ts'
import type { ErasedMeanwhile } from './erased-meanwhile.ts'
import { type LogAccess, type LoggedRecords, loggedRecords } from './logged-records.ts'

/** Why a chat is left out. */
export type Skipped = 'erased' | 'late-events' | 'agent-first' | 'no-bot-message'

/** A chat's events in the order of the log, or why it is left out. */
export type LoggedChat = { readonly chatId: string } & (
  | { readonly events: ReadonlyArray<ConversationEvent> }
  | { readonly skipped: Skipped }
)

export type Source = Pick<LoggedRecords, 'offsets' | 'progress'> & {
  readonly chats: AsyncGenerator<LoggedChat>
  /** Records that cannot be decoded, differ from what was archived, or whose key is lost. */
  readonly unreadable: () => number
}

/** In ms since 1970. Of events at `until` or later, only the markers of erasures count. */
export type Span = { readonly account: string; readonly from: number; readonly until: number }

type Chat = { readonly events: ConversationEvent[]; isErased: boolean; isLate: boolean }

const isConversation = (event: DomainEvent): event is ConversationEvent => event.type !== 'ChatErased'

/** The first event that says who has the chat. */
const isAgentFirst = (events: ReadonlyArray<ConversationEvent>): boolean =>
  events.find(({ type }) => !type.startsWith('BotReply'))?.type === 'AgentJoined'

const outcomeOf = ({
  events,
  isErased,
  isLate,
}: Chat): { readonly events: Chat['events'] } | { readonly skipped: Skipped } => {
  if (isErased) return { skipped: 'erased' }
  if (isLate) return { skipped: 'late-events' }
  return isAgentFirst(events) ? { skipped: 'agent-first' } : { events }
}

/**
 * The chats of an account with events in the span, partition after partition, each partition's in the order in which
 * they begin. Chats that were erased at any time are skipped: the log is read to its end for that.
 */
export const readChats = async (
  log: LogAccess,
  /** Finds chats with events that came after the marker of their erasure. */
  erasedAmong: ErasedMeanwhile['among'],
  span: Span,
): Promise<Source> => {
  const { slices, offsets, progress, unreadable: unreadableInArchive } = await loggedRecords(log, span.from)
  let undecodable = 0

  const take = (chats: Map<string, Chat>, record: IncomingRecord) => {
    const key = `${record.key}`
    if (!key.startsWith(`${span.account}/`)) return
    const event = fromRecord(record)
    if (E.isLeft(event)) {
      undecodable++
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

  async function* outcomesOf(open: ReadonlyMap<string, Chat>): AsyncGenerator<LoggedChat> {
    const chats = new Map([...open].map(([key, chat]) => [key.slice(span.account.length + 1), chat]))
    const erased = await erasedAmong(new Map([...chats].map(([chatId, { events }]) => [chatId, events])))
    for (const [chatId, chat] of chats)
      yield { chatId, ...outcomeOf({ ...chat, isErased: chat.isErased || erased.has(chatId) }) }
  }

  async function* chats(): AsyncGenerator<LoggedChat> {
    let partition = -1
    let open = new Map<string, Chat>()
    for await (const records of slices)
      for (const record of records) {
        if (record.partition !== partition) {
          yield* outcomesOf(open)
          open = new Map()
          partition = record.partition
        }
        take(open, record)
      }
    yield* outcomesOf(open)
  }
  return {
    chats: chats(),
    offsets,
    progress,
    unreadable: () => unreadableInArchive() + undecodable,
  }
}
