import type { BotReply } from '../../../contracts/commands/bot-reply.ts'
import { type Conversation, conversationOf, unknownConversation } from './conversation.ts'
import { evolve } from './evolve.ts'
import { isFinal } from './facts.ts'
import type { Tail } from './tail.ts'
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

type Snapshot = ConversationNow & { readonly applied: number }

const nothing: Snapshot = { conversation: unknownConversation, isFinished: false, isWhole: false, applied: -1 }

const snapshotOf = ({ conversation, delivery }: KnownViews, partition: number): Snapshot => ({
  conversation: conversation === undefined ? unknownConversation : conversationOf(conversation),
  isFinished: delivery !== undefined && isFinal(delivery.state, delivery.reason),
  isWhole: true,
  applied: conversation?.applied[`bot-conversations/${partition}`] ?? -1,
})

/**
 * What is known of a chat, and of one of its commands where there is one, as of each call. The documents are read once, and
 * the tail's facts beyond them are added each time; where the tail has evicted some since, the documents are read anew.
 * While they cannot be read the tail alone decides.
 */
export const conversationNow = (
  readViews: ReadViews,
  tail: Tail,
  partition: number,
  { accountId, chatId, id }: ChatOrCommand,
) => {
  const chat = `${accountId}/${chatId}`
  let snapshot: Snapshot | undefined
  let floor: number | undefined

  const refresh = async () => {
    while (snapshot === undefined || floor !== tail.floor(partition)) {
      floor = tail.floor(partition)
      const known = await readViews(chat, id === undefined ? undefined : `${accountId}/${id}`)
      snapshot = known && snapshotOf(known, partition)
      if (snapshot === undefined) return nothing
    }
    return snapshot
  }
  return async (): Promise<ConversationNow> => {
    const { conversation, isFinished, isWhole, applied } = await refresh()
    const seen = new Set(conversation.seen)
    const beyond = tail.after(partition, chat, applied).filter((fact) => !seen.has(fact.id))
    const isInTail = tail.after(partition, chat, -1).some((fact) => fact.kind === 'finished' && fact.commandId === id)
    return { conversation: beyond.reduce(evolve, conversation), isFinished: isFinished || isInTail, isWhole }
  }
}
