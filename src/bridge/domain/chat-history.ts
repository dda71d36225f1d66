import type { History } from '../../../contracts/http.ts'
/** The messages of chats, for bots. Each function throws if MongoDB does not answer in time. */
export type ChatHistory = {
  /** Whether the views have an event of the chat, by its ce_id. */
  readonly has: (chat: ChatName, eventId: string) => Promise<boolean>
  /** The newest messages, at most `last`. Undefined if the views have nothing of the chat, or if it was erased. */
  readonly read: (chat: ChatName, last: number) => Promise<History | undefined>
}

export type ChatName = { readonly accountId: string; readonly chatId: string }
