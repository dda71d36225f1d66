import type { BotRequest } from '../../../contracts/bot-api/outbound.ts'
import type { Behaviour } from './behaviour.ts'
import { createChanges } from './changes.ts'
import { type Chat, type ChatChange, evolve, newChat } from './chat.ts'
import type { Refusal } from './refusal.ts'

/** A request as received (`at`: ms since 1970), then how it was understood and what was done with it. */
export type ReceivedRequest = {
  readonly at: number
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
  readonly accountId?: string
  readonly event?: BotRequest
  readonly refusal?: Refusal
  readonly behaviour?: Behaviour
  readonly applied?: boolean
}

/** All that the service remembers. */
export const createState = (now: () => number) => {
  const { changed, waitFor } = createChanges()
  const chats = new Map<string, Chat>()
  const requests: ReceivedRequest[] = []
  const seen = new Map<string, number>()
  return {
    waitFor,
    chats,
    requests,
    chat: (accountId: string, chatId: string) => chats.get(`${accountId}/${chatId}`),
    change: (accountId: string, chatId: string, change: ChatChange) => {
      const key = `${accountId}/${chatId}`
      chats.set(key, evolve(chats.get(key) ?? newChat(accountId, chatId), change, now()))
      changed()
    },
    /** Keeps a request. The returned function adds what becomes known of it. */
    record: (request: ReceivedRequest) => {
      const index = requests.push(request) - 1
      let entry = request
      changed()
      return (more: Partial<ReceivedRequest>) => {
        entry = { ...entry, ...more }
        requests[index] = entry
        changed()
      }
    },
    /** How often this event's id has arrived, including this time. */
    count: (accountId: string, id: string) => {
      const key = `${accountId}/${id}`
      const attempt = (seen.get(key) ?? 0) + 1
      seen.set(key, attempt)
      return attempt
    },
  }
}
export type State = ReturnType<typeof createState>
