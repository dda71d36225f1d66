import type { Admin, Kafka } from 'kafkajs'
import { settled, within } from '../shared/timeout.ts'
import type { Client, NewClient } from './client.ts'
import { type Cluster, clusterOf } from './cluster.ts'
import { noAnswer } from './errors.ts'

/** Whom questions are put to. */
type Asked = { readonly connect: () => Promise<void>; readonly disconnect: () => Promise<void> }
export type AskOf<Of extends Asked> = <A>(question: (asked: Of) => Promise<A>, withinMs?: number) => Promise<A>
export type Ask = AskOf<Admin>
type Connection<Of extends Asked> = { readonly ask: AskOf<Of>; readonly close: () => Promise<void> }

const answerWithinMs = 8_000

/** One long-lived connection for questions. One that fails, or is not answered in time, rejects and takes the connection along. */
const connection = <Of extends Asked>(newClient: NewClient, make: (kafka: Kafka) => Of): Connection<Of> => {
  type Live = { readonly client: Client; readonly asked: Of; readonly connected: Promise<void> }
  let live: Live | undefined

  const fresh = (): Live => {
    const client = newClient({ retries: 2, initialRetryTime: 100, maxRetryTime: 500 })
    const asked = make(client.kafka)
    return { client, asked, connected: asked.connect() }
  }
  const discard = async (old: Live | undefined) => {
    if (live === old) live = undefined
    old?.client.sockets.close()
    if (old !== undefined) await settled(old.asked.disconnect(), 1_000)
  }
  return {
    ask: async (question, withinMs = answerWithinMs) => {
      live ??= fresh()
      const mine = live
      try {
        const answer = mine.connected.then(() => question(mine.asked))
        return await within(withinMs, answer, () => Promise.reject(noAnswer()))
      } catch (error) {
        await discard(mine)
        throw error
      }
    },
    close: () => discard(live),
  }
}

export const adminConnection = (newClient: NewClient): Connection<Admin> =>
  connection(newClient, (kafka) => kafka.admin())

export const clusterConnection = (newClient: NewClient): Connection<Cluster> => connection(newClient, clusterOf)
