import type { BotReply } from '../../../../contracts/commands/bot-reply.ts'
import { type ConversationDocument, conversations } from '../../../../contracts/views/conversation.ts'
import { type DeliveryDocument, deliveries } from '../../../../contracts/views/delivery.ts'
import {
  type Conversation,
  conversationOf,
  hasWholeSeen,
  unknownConversation,
  withFacts,
} from '../../domain/conversation.ts'
import { isFinal } from '../../domain/conversation-facts.ts'
import { type CommandName, contentDigest, deliveryId, isSameCommand } from '../../domain/delivery.ts'
import { fairSemaphore } from '../../shared/semaphore.ts'
import { withDeadline } from '../../shared/timeout.ts'
import { outcomesInSeen } from '../delivery/outcome.ts'
import type { EgressPorts } from '../ports.ts'
import { retryUntilAborted } from '../retry-until-aborted.ts'
import type { FoldedConversation } from './partition-tail.ts'
import type { Tail } from './tail.ts'

/** The documents of a chat and of a command, where they exist. */
export type KnownViews = {
  readonly conversation: ConversationDocument | undefined
  readonly delivery: DeliveryDocument | undefined
}
/** Undefined means 'the views cannot be read now'. A document without a given id is not read. */
export type ReadViews = (
  accountId: string,
  chatId: string | undefined,
  deliveryId: string | undefined,
) => Promise<KnownViews | undefined>

/** How many callers read the views at the same time. */
const atOnce = { inAll: 1_000, ofOne: 32 }
const withinMs = 2000
const awayMs = 1000

/**
 * Reads the views within two seconds, for 32 callers of each account at once: an account with many replies must not
 * delay the others. After a failure it reads nothing for a second: replies must not queue for an unavailable MongoDB.
 */
export const viewsReader = (
  ports: Pick<EgressPorts, 'readDocument' | 'sleep' | 'random' | 'log' | 'monotonic'>,
): ReadViews => {
  const acquire = fairSemaphore(atOnce)
  let awayUntil = Number.NEGATIVE_INFINITY
  return async (accountId, chatId, deliveryId) => {
    using _permit = await acquire(accountId)
    if (ports.monotonic() < awayUntil) return undefined
    const read = async () => {
      const [conversation, delivery] = await Promise.all([
        chatId === undefined ? undefined : ports.readDocument(conversations.name, chatId),
        deliveryId === undefined ? undefined : ports.readDocument(deliveries.name, deliveryId),
      ])
      return { conversation, delivery }
    }
    const known = await withDeadline(ports.sleep, withinMs, (given) =>
      retryUntilAborted(ports, 'reading the views', read, given),
    )
    if (known?.value === undefined) awayUntil = ports.monotonic() + awayMs
    return known?.value?.value
  }
}

/**
 * What is known of a conversation, from the views and the tail together, and whether a command of it was finished
 * before. The tail has the newest facts of the log, which the views may not have yet (tail.ts). `isWhole` is false if the
 * views could not be read, or if the tail has forgotten facts that the views do not hold.
 */
export type KnownConversation = {
  readonly conversation: Conversation
  readonly isFinished: boolean
  readonly isWhole: boolean
}

type Chat = Pick<BotReply, 'accountId' | 'chatId'>
/** A chat, or a command of it. `type` is what its record named as its type. */
export type ChatOrCommand = Chat | (Chat & Pick<BotReply, 'id'> & { readonly type?: unknown })

/** Returns a function that reads what is known of a chat, and of one of its commands if there is one. */
export type ReadConversation = (partition: number, about: ChatOrCommand) => () => Promise<KnownConversation>

const nameOf = (about: ChatOrCommand): CommandName | undefined =>
  'id' in about ? { commandId: about.id, commandType: String(about.type) } : undefined

/** What was read when the tail began at `floor`. The tail's facts after the offset `applied` are not in it. */
type Snapshot = KnownConversation & FoldedConversation & { readonly floor: number }

const unknown: FoldedConversation = { conversation: unknownConversation, applied: -1 }

const foldedIn = ({ conversation }: KnownViews, tail: Tail, partition: number): FoldedConversation => {
  if (conversation === undefined) return unknown
  const source = `bot-conversations/${partition}`
  const { [source]: offset, [`${source}/epoch`]: epoch } = conversation.applied
  return {
    conversation: conversationOf(conversation),
    applied:
      offset === undefined
        ? unknown.applied
        : tail.placeOf(partition, { offset, ...(epoch !== undefined && { epoch }) }),
  }
}

/** Whether a command is finished according to the conversation. Undefined if `seen` may have forgotten its outcome. */
const isFinishedIn = (conversation: Conversation, { accountId, chatId }: Chat, name: CommandName | undefined) => {
  if (name === undefined) return false
  if (!hasWholeSeen(conversation)) return undefined
  return outcomesInSeen({ accountId, chatId, ...name }).some((outcome) => conversation.seen.includes(outcome))
}

/**
 * Reads:
 * - the chat that the tail has cached, otherwise its document in the views;
 * - the command's outcome from `seen` of the cached chat if `seen` is complete, otherwise the command's document.
 * Each call adds the tail's newer facts. The documents are read at the first call, and again after the tail has evicted
 * facts. While they cannot be read, the tail alone decides, with what it has cached.
 */
export const conversationReader =
  (readViews: ReadViews, tail: Tail): ReadConversation =>
  (partition, about) => {
    const { accountId, chatId } = about
    const name = nameOf(about)
    const chat = `${accountId}/${chatId}`
    let newest: Snapshot | undefined

    /** Undefined while the views cannot be read. */
    const read = async (cached: FoldedConversation | undefined): Promise<Snapshot | undefined> => {
      const floor = tail.floor(partition)
      const isFinished = cached && isFinishedIn(cached.conversation, about, name)
      if (cached !== undefined && isFinished !== undefined) return { ...cached, floor, isFinished, isWhole: true }
      const known = await readViews(
        accountId,
        cached === undefined ? chat : undefined,
        name === undefined ? undefined : deliveryId({ accountId, chatId, ...name }),
      )
      if (known === undefined) return undefined
      const { delivery } = known
      const folded = cached ?? foldedIn(known, tail, partition)
      if (cached === undefined && floor === tail.floor(partition)) tail.cache(partition, chat, folded)
      return {
        ...folded,
        floor,
        isFinished: delivery !== undefined && isFinal(delivery.state, delivery.reason),
        isWhole: cached !== undefined || tail.isWhole(partition),
      }
    }
    /** A snapshot with which the tail's facts make the whole: the tail has evicted none of them since then. */
    const snapshot = async (): Promise<Omit<Snapshot, 'floor'>> => {
      while (newest === undefined || newest.floor !== tail.floor(partition)) {
        const cached = tail.cached(partition, chat)
        newest = await read(cached)
        if (newest === undefined) return { ...(cached ?? unknown), isFinished: false, isWhole: false }
      }
      return newest
    }
    return async () => {
      const { conversation, isFinished, isWhole, applied } = await snapshot()
      const isInTail =
        name !== undefined &&
        tail.after(partition, chat, -1).some((fact) => fact.kind === 'finished' && isSameCommand(fact, name))
      return {
        conversation: withFacts(conversation, tail.after(partition, chat, applied)),
        isFinished: isFinished || isInTail,
        isWhole,
      }
    }
  }

/** What is known of the command that was finished under an id. */
export type FinishedBefore = { readonly digest: string | undefined; readonly requestedAt: Date }

/** Undefined if neither tail nor views have a command that was finished under this id. */
export type FindFinished = (partition: number, command: BotReply) => Promise<FinishedBefore | undefined>

export const finishedBefore =
  (readViews: ReadViews, tail: Tail): FindFinished =>
  async (partition, { accountId, chatId, id, type }) => {
    const name = { commandId: id, commandType: type }
    const facts = tail.after(partition, `${accountId}/${chatId}`, -1)
    const fact = facts.find((each) => each.kind === 'finished' && isSameCommand(each, name))
    if (fact?.kind === 'finished') return { digest: fact.digest, requestedAt: fact.requestedAt }
    const known = await readViews(accountId, undefined, deliveryId({ accountId, chatId, ...name }))
    const delivery = known?.delivery
    return delivery !== undefined && isFinal(delivery.state, delivery.reason)
      ? { digest: contentDigest(delivery), requestedAt: new Date(delivery.requestedAt) }
      : undefined
  }
