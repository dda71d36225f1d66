import { chatQueues } from './chat-queues.ts'

/** Runs work of one chat one at a time, in the order of asking, and tells its result. */
export type InTurn = <A>(chat: string, work: () => Promise<A>) => Promise<A>

export const inTurn = (): InTurn => {
  const queues = chatQueues()
  return (chat, work) =>
    new Promise((resolve, reject) => {
      queues.add(chat, () => work().then(resolve, reject))
    })
}
