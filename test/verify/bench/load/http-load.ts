import { serve } from '../worker.ts'
import { bodies, type Chats, eventOf } from './bodies.ts'
import { type Connection, openConnection } from './connection.ts'
import { type Latency, latencies } from './latencies.ts'
import { closedLoop, openLoop } from './loops.ts'
import { type Answered, type ChatDocuments, observeChats, type Readable } from './readable.ts'

export type LoadAsk = Chats & {
  /** The connections are distributed over these. */
  readonly urls: ReadonlyArray<string>
  readonly connections: number
  readonly seconds: number
  /** Requests per second of an open loop; without it the loop is closed. */
  readonly rate?: number
  /** In an open loop: waits until the document of each answered event can be read. */
  readonly documents?: ChatDocuments
}

export type LoadGiven = {
  readonly seconds: number
  readonly ok: number
  /** The number of responses other than 200, by status; 0 is no response. */
  readonly notOk: Readonly<Record<string, number>>
  readonly latency: Latency
  readonly readable?: Readable
}

// Never repeated in the life of this process, for any server: no request may repeat an earlier event.
let number = 0

serve<LoadAsk>(async ({ urls, connections: count, seconds, rate, documents, ...chats }): Promise<LoadGiven> => {
  const addresses = urls.map((url) => new URL(url))
  const [first] = addresses
  if (first === undefined) throw new Error('nobody to send to')
  const { request } = bodies(first.pathname, '127.0.0.1', chats)
  const connections: Connection[] = await Promise.all(
    Array.from({ length: count }, (_, i) => openConnection(Number((addresses[i % addresses.length] ?? first).port))),
  )
  const { record, count: counted, summary } = latencies()
  const notOk: Record<string, number> = {}
  const observed = documents && (await observeChats(documents))
  const posted = new Map<number, number>()
  const answered: Answered[] = []
  const began = performance.now()
  const loop = {
    connections,
    seconds,
    next: (since: number) => {
      if (observed) posted.set(since, number)
      return request(number++)
    },
    heard: (status: number, since: number) => {
      if (status === 200) record(performance.now() - since)
      else notOk[status] = (notOk[status] ?? 0) + 1
      const mine = posted.get(since)
      if (status === 200 && mine !== undefined) answered.push({ ...eventOf(chats, mine), since })
    },
  }
  await (rate === undefined ? closedLoop(loop) : openLoop(loop, rate))
  const took = (performance.now() - began) / 1000
  for (const connection of connections) connection.close()
  const readable = await observed?.until(answered)
  return { seconds: took, ok: counted(), notOk, latency: summary(), ...(readable && { readable }) }
})
