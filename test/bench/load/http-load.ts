import { serve } from '../worker.ts'
import { type Bodies, bodies } from './bodies.ts'
import { type Connection, openConnection } from './connection.ts'
import { type Latency, latencies } from './latencies.ts'
import { closedLoop, openLoop } from './loops.ts'

export type LoadAsk = {
  /** The connections are distributed over these. */
  readonly urls: ReadonlyArray<string>
  readonly connections: number
  readonly seconds: number
  readonly chats: number
  /** Requests per second of an open loop; without it the loop is closed. */
  readonly rate?: number
}

export type LoadGiven = {
  readonly seconds: number
  readonly ok: number
  /** The number of responses other than 200, by status; 0 is no response. */
  readonly notOk: Readonly<Record<string, number>>
  readonly latency: Latency
}

// Never repeated in the life of this process, for any server: no request may repeat an earlier event.
let number = 0

const known = new Map<string, Bodies>()

const scrape = Buffer.from('GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')

/** Made once, since the bodies of many chats take time. */
const bodiesOf = (path: string, chats: number): Bodies => {
  if (path === '/metrics') return { request: () => scrape }
  const key = `${chats} ${path}`
  const made = known.get(key) ?? bodies(path, '127.0.0.1', chats)
  known.set(key, made)
  return made
}

serve<LoadAsk>(async ({ urls, connections: count, seconds, chats, rate }): Promise<LoadGiven> => {
  const addresses = urls.map((url) => new URL(url))
  const [first] = addresses
  if (first === undefined) throw new Error('nobody to send to')
  const { request } = bodiesOf(first.pathname, chats)
  const connections: Connection[] = await Promise.all(
    Array.from({ length: count }, (_, i) => openConnection(Number((addresses[i % addresses.length] ?? first).port))),
  )
  const { record, count: counted, summary } = latencies()
  const notOk: Record<string, number> = {}
  const began = performance.now()
  const loop = {
    connections,
    seconds,
    next: () => request(number++),
    heard: (status: number, since: number) => {
      if (status === 200) record(performance.now() - since)
      else notOk[status] = (notOk[status] ?? 0) + 1
    },
  }
  await (rate === undefined ? closedLoop(loop) : openLoop(loop, rate))
  const took = (performance.now() - began) / 1000
  for (const connection of connections) connection.close()
  return { seconds: took, ok: counted(), notOk, latency: summary() }
})
