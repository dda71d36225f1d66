import type { Admin } from 'kafkajs'
import type { Client, NewClient } from './client.ts'
import { settled, withDeadline } from './deadline.ts'
import { noAnswer } from './errors.ts'

export type Ask = <A>(question: (admin: Admin) => Promise<A>, withinMs?: number) => Promise<A>

const answerWithinMs = 8_000

/** One long-lived connection for questions. One that fails, or is not answered in time, rejects and takes the connection along. */
export const adminConnection = (newClient: NewClient): { readonly ask: Ask; readonly close: () => Promise<void> } => {
  type Live = { readonly client: Client; readonly admin: Admin; readonly connected: Promise<void> }
  let live: Live | undefined

  const fresh = (): Live => {
    const client = newClient({ retries: 2, initialRetryTime: 100, maxRetryTime: 500 })
    const admin = client.kafka.admin()
    return { client, admin, connected: admin.connect() }
  }
  const discard = async (old: Live | undefined) => {
    if (live === old) live = undefined
    old?.client.sockets.close()
    if (old !== undefined) await settled(old.admin.disconnect(), 1_000)
  }
  return {
    ask: async (question, withinMs = answerWithinMs) => {
      live ??= fresh()
      const mine = live
      try {
        const answer = mine.connected.then(() => question(mine.admin))
        return await withDeadline(answer, withinMs, () => Promise.reject(noAnswer()))
      } catch (error) {
        await discard(mine)
        throw error
      }
    },
    close: () => discard(live),
  }
}
