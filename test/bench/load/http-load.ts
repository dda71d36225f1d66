import { serve } from '../worker.ts'
import { type Bodies, bodies } from './bodies.ts'
import { type Connection, openConnection } from './connection.ts'
import { type Latency, latencies } from './latencies.ts'
import { closedLoop, openLoop } from './loops.ts'

export type LoadAsk = {
  /** The connections are shared out among them. */
  readonly urls: ReadonlyArray<string>
  readonly connections: number
  readonly seconds: number
  readonly chats: number
  /** Requests a second of an open loop; a closed loop without it. */
  readonly rate?: number
}

export type LoadGiven = {
  readonly seconds: number
  readonly ok: number
  /** How many answers there were that were not 200, by their status; 0 stands for none at all. */
  readonly notOk: Readonly<Record<string, number>>
  readonly latency: Latency
}

// Never twice in the life of this process, whoever is asked: the bridge takes the same body for the same event.
let number = 0

const known = new Map<string, Bodies>()

const scrape = Buffer.from('GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')

/** Made once: of many chats they are work. */
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
