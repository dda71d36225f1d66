import { randomNumbers } from '../../../src/tools/simulator/random.ts'
import { clientWebhook, type Event, inOddForm, message, webhook } from './traffic.ts'

/** This share of the events is followed by one with an odd field. */
const oddShare = 0.2

/** An endless stream: the events of some chats in turn, each numbered within its chat. It is the same in each run. */
export function* stream(chatIds: ReadonlyArray<number>, build: typeof webhook): Generator<Event> {
  const random = randomNumbers(chatIds[0] ?? 0)
  const numbers = new Map<number, number>()
  const next = (chatId: number) => {
    const seq = (numbers.get(chatId) ?? 0) + 1
    numbers.set(chatId, seq)
    return build(chatId, seq)
  }
  for (;;)
    for (const chatId of chatIds) {
      yield next(chatId)
      if (random() < oddShare) yield inOddForm(next(chatId), random)
    }
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
