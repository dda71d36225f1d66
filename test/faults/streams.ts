import { clientWebhook, type Event, message, webhook } from './traffic.ts'

/** An endless stream: the events of some chats in turn, each numbered within its chat. */
function* stream(chatIds: ReadonlyArray<number>, build: typeof webhook): Generator<Event> {
  for (let seq = 1; ; seq++) for (const chatId of chatIds) yield build(chatId, seq)
}

type Shape = { readonly workers: number; readonly chats?: number; readonly messages?: boolean; readonly from?: number }

/** One stream for each worker, with its own chats; with `messages`, every second stream is of Interface B. */
export const streams = ({ workers, chats = 4, messages = false, from = 1 }: Shape): ReadonlyArray<Generator<Event>> =>
  Array.from({ length: workers }, (_, worker) => {
    const ids = Array.from({ length: chats }, (_each, i) => from + worker * chats + i)
    return stream(ids, messages && worker % 2 === 1 ? message : webhook)
  })

/** Events about clients only; each worker has its own clients. */
export const clientStreams = ({ workers, clients }: { readonly workers: number; readonly clients: number }) =>
  Array.from({ length: workers }, (_, worker) =>
    stream(
      Array.from({ length: clients }, (_each, i) => 1 + worker * clients + i),
      clientWebhook,
    ),
  )
