import { bulkhead } from 'cockatiel'
import type { BotReply } from '../../../contracts/commands/bot-reply.ts'
import type { BotReplySuppressed } from '../../../contracts/events/index.ts'
import type { ConversationDocument } from '../../../contracts/views/conversation.ts'
import type { DeliveryDocument } from '../../../contracts/views/delivery.ts'
import {
  type Conversation,
  conversationOf,
  forgotNone,
  unknownConversation,
  withFacts,
} from '../../domain/conversation.ts'
import { isFinal } from '../../domain/conversation-facts.ts'
import { contentDigest, deliveryId } from '../../domain/delivery.ts'
import { withDeadline } from '../../shared/timeout.ts'
import { outcomesInSeen } from '../delivery/outcome.ts'
import type { EgressPorts } from '../ports.ts'
import { retryUntilAborted } from '../retry.ts'
import type { Kept, Tail } from './tail.ts'

/** The documents of a chat and of a command, each where there is one. */
export type KnownViews = {
  readonly conversation: ConversationDocument | undefined
  readonly delivery: DeliveryDocument | undefined
}
/** Undefined is 'the views cannot be read now'; what is not asked for is not read. */
export type ReadViews = (chatId: string | undefined, deliveryId: string | undefined) => Promise<KnownViews | undefined>

const atOnce = 64
const withinMs = 2000
const awayMs = 1000

/**
 * Reads the views within two seconds, so many commands at once. Where that was in vain, nothing is read for a
 * second: replies must not queue for a MongoDB that is away.
 */
export const viewsReader = (
  ports: Pick<EgressPorts, 'readDocument' | 'sleep' | 'random' | 'log' | 'monotonic'>,
): ReadViews => {
  const places = bulkhead(atOnce, Number.POSITIVE_INFINITY)
  let awayUntil = Number.NEGATIVE_INFINITY
  return (chatId, deliveryId) =>
    places.execute(async () => {
      if (ports.monotonic() < awayUntil) return undefined
      const read = async () => {
        const [conversation, delivery] = await Promise.all([
          chatId === undefined ? undefined : ports.readDocument('conversations', chatId),
          deliveryId === undefined ? undefined : ports.readDocument('deliveries', deliveryId),
        ])
        return { conversation, delivery }
      }
      const known = await withDeadline(ports.sleep, withinMs, (given) => retryUntilAborted(ports, 'views', read, given))
      if (known?.value === undefined) awayUntil = ports.monotonic() + awayMs
      return known?.value?.value
    })
}

/**
 * A conversation as the views and the tail have it together, and whether a command of it was finished before. `isWhole`:
 * the views could be read; else it is what the tail alone tells.
 */
export type ConversationNow = {
  readonly conversation: Conversation
  readonly isFinished: boolean
  readonly isWhole: boolean
}

/** A chat, or a command of it. */
export type ChatOrCommand = Pick<BotReply, 'accountId' | 'chatId'> & Partial<Pick<BotReply, 'id'>>

type Snapshot = ConversationNow & Kept

const unknown: Kept = { conversation: unknownConversation, applied: -1 }

const keptOf = ({ conversation }: KnownViews, partition: number): Kept =>
  conversation === undefined
    ? unknown
    : {
        conversation: conversationOf(conversation),
        applied: conversation.applied[`bot-conversations/${partition}`] ?? unknown.applied,
      }

/** What is kept of a chat, where that is enough: it tells of a finished command as long as it has forgotten nothing. */
const enough = (kept: Kept, { accountId, chatId, id }: ChatOrCommand): Snapshot | undefined => {
  const { seen } = kept.conversation
  const whole = { ...kept, isFinished: false, isWhole: true }
  if (id === undefined) return whole
  if (!forgotNone(kept.conversation)) return undefined
  return { ...whole, isFinished: outcomesInSeen({ accountId, chatId, id }).some((outcome) => seen.includes(outcome)) }
}

/**
 * What is known of a chat, and of one of its commands where there is one, as of each call. The documents are read once, that of
 * a chat only where the tail has not kept it, that of the command only where what is kept of the chat does not tell of it, and
 * the tail's facts beyond them are added each time; where the tail has evicted some since, the documents are read anew. While
 * they cannot be read the tail alone decides, with what it has kept.
 */
export const conversationNow = (readViews: ReadViews, tail: Tail, partition: number, about: ChatOrCommand) => {
  const { accountId, chatId, id } = about
  const chat = `${accountId}/${chatId}`
  let snapshot: Snapshot | undefined
  let floor: number | undefined

  const refresh = async (): Promise<Snapshot> => {
    while (snapshot === undefined || floor !== tail.floor(partition)) {
      floor = tail.floor(partition)
      const kept = tail.kept(partition, chat)
      snapshot = kept && enough(kept, about)
      if (snapshot !== undefined) break
      const known = await readViews(
        kept === undefined ? chat : undefined,
        id === undefined ? undefined : deliveryId({ accountId, chatId, commandId: id }),
      )
      if (known === undefined) return { ...(kept ?? unknown), isFinished: false, isWhole: false }
      const { delivery } = known
      const isFinished = delivery !== undefined && isFinal(delivery.state, delivery.reason)
      snapshot = {
        ...(kept ?? keptOf(known, partition)),
        isFinished,
        isWhole: kept !== undefined || tail.isWhole(partition),
      }
      if (kept === undefined && floor === tail.floor(partition)) tail.keep(partition, chat, snapshot)
    }
    return snapshot
  }
  return async (): Promise<ConversationNow> => {
    const { conversation, isFinished, isWhole, applied } = await refresh()
    const isInTail = tail.after(partition, chat, -1).some((fact) => fact.kind === 'finished' && fact.commandId === id)
    return {
      conversation: withFacts(conversation, tail.after(partition, chat, applied)),
      isFinished: isFinished || isInTail,
      isWhole,
    }
  }
}

/** What the command asked for that was finished under this id; undefined where neither the tail nor the views tell. */
export const digestBefore =
  (readViews: ReadViews, tail: Tail) =>
  async (partition: number, { accountId, chatId, id }: BotReply): Promise<string | undefined> => {
    const facts = tail.after(partition, `${accountId}/${chatId}`, -1)
    const fact = facts.find((each) => each.kind === 'finished' && each.commandId === id)
    if (fact?.kind === 'finished') return fact.digest
    const known = await readViews(undefined, deliveryId({ accountId, chatId, commandId: id }))
    const delivery = known?.delivery
    return delivery !== undefined && isFinal(delivery.state, delivery.reason) ? contentDigest(delivery) : undefined
  }

export type SuppressedReason = BotReplySuppressed['data']['reason']
/** What to do with a reply to a message that is no longer the client's newest. */
export type WhenOvertaken = 'send' | 'suppress'

/** Who has the conversation instead of the bot, as a reason to be silent. */
export const takenBy = ({ state }: Pick<Conversation, 'state'>): SuppressedReason | undefined => {
  switch (state) {
    case 'agent':
      return 'agent-joined'
    case 'invited':
      return 'agent-invited'
    case 'closed':
      return 'chat-closed'
    case 'bot':
    case 'unavailable':
      return undefined
  }
}

/**
 * Whether a bot's command may be sent now, or why it comes too late. It is asked before each attempt, of a fold of the log up
 * to where it ended when the command was taken (`readBarrier`): an event that was answered 200 before the command was
 * published counts, unless the barrier was waited for in vain. One that is answered between this decision and the service's own comes too late: so long as a
 * request takes, some milliseconds (test/integration/fencing-race.test.ts).
 */
export const decide = (
  conversation: Pick<Conversation, 'state' | 'lastClientMessageId'>,
  { type, inReplyTo }: Pick<BotReply, 'type' | 'inReplyTo'>,
  whenOvertaken: WhenOvertaken = 'send',
): 'send' | SuppressedReason => {
  const taken = takenBy(conversation)
  if (taken !== undefined) return taken
  const { lastClientMessageId } = conversation
  const isOvertaken = inReplyTo && lastClientMessageId !== undefined && inReplyTo !== lastClientMessageId
  return type === 'BotMessage' && isOvertaken && whenOvertaken === 'suppress' ? 'overtaken' : 'send'
}
