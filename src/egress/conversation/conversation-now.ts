import type { BotReply } from '../../../contracts/commands/bot-reply.ts'
import {
  type Conversation,
  conversationOf,
  forgotNone,
  unknownConversation,
  withFacts,
} from '../../domain/conversation.ts'
import { isFinal } from '../../domain/conversation-facts.ts'
import { contentDigest, deliveryId } from '../../domain/delivery.ts'
import { outcomesInSeen } from '../outcome.ts'
import type { Kept, Tail } from './tail.ts'
import type { KnownViews, ReadViews } from './views.ts'

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
