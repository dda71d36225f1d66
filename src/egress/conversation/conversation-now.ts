import type { BotReply } from '../../../contracts/commands/bot-reply.ts'
import { isFinal } from './facts.ts'
import { type Conversation, conversationOf, evolve, unknownConversation } from './fence.ts'
import type { Tail } from './tail.ts'
import type { KnownViews, ReadViews } from './views.ts'

/** A command's conversation as the views and the tail have it together, and whether the command was finished before. */
export type ConversationNow = { readonly conversation: Conversation; readonly isFinished: boolean }

type Snapshot = ConversationNow & { readonly applied: number; readonly seen: ReadonlySet<string> }

const nothing: Snapshot = { conversation: unknownConversation, isFinished: false, applied: -1, seen: new Set() }

const snapshotOf = ({ conversation, delivery }: KnownViews, partition: number): Snapshot => ({
  conversation: conversation === undefined ? unknownConversation : conversationOf(conversation),
  isFinished: delivery !== undefined && isFinal(delivery.state, delivery.reason),
  applied: conversation?.applied[`bot-conversations/${partition}`] ?? -1,
  seen: new Set(conversation?.seen),
})

/**
 * What is known of a command's conversation, as of each call. The documents are read once, and the tail's facts beyond them
 * are added each time; where the tail has evicted some since, the documents are read anew. While they cannot be read the
 * tail alone decides.
 */
export const conversationNow = (
  readViews: ReadViews,
  tail: Tail,
  partition: number,
  { accountId, chatId, id }: Pick<BotReply, 'accountId' | 'chatId' | 'id'>,
) => {
  const chat = `${accountId}/${chatId}`
  let snapshot: Snapshot | undefined
  let floor: number | undefined

  const refresh = async () => {
    while (snapshot === undefined || floor !== tail.floor(partition)) {
      floor = tail.floor(partition)
      const known = await readViews(chat, `${accountId}/${id}`)
      snapshot = known && snapshotOf(known, partition)
      if (snapshot === undefined) return nothing
    }
    return snapshot
  }
  return async (): Promise<ConversationNow> => {
    const { conversation, isFinished, applied, seen } = await refresh()
    const beyond = tail.after(partition, chat, applied).filter((fact) => !seen.has(fact.id))
    const isInTail = tail.after(partition, chat, -1).some((fact) => fact.kind === 'finished' && fact.commandId === id)
    return { conversation: beyond.reduce(evolve, conversation), isFinished: isFinished || isInTail }
  }
}
