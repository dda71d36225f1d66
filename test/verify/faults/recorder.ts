import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Exchange } from './history.ts'
import type { Event } from './traffic.ts'

/** Longer than every deadline of the bridge: a request that takes longer got no response. */
const withinMs = 9_000
const headers = { 'content-type': 'application/json' }

type Answer = Pick<Exchange, 'status' | 'retryAfter' | 'error'> & { readonly sent: boolean }

const post = (agent: Agent, url: string, body: string): Promise<Answer> =>
  new Promise((resolve) => {
    const outgoing = request(url, { method: 'POST', agent, headers, timeout: withinMs }, (incoming) => {
      const { statusCode: status = 0, headers: received } = incoming
      const retryAfter = received['retry-after']
      incoming.resume()
      incoming.on('end', () => resolve({ status, sent: true, ...(retryAfter !== undefined && { retryAfter }) }))
      incoming.on('error', ({ name }) => resolve({ error: name, sent: true }))
    })
    outgoing.on('timeout', () => outgoing.destroy(Object.assign(new Error('no answer'), { code: 'NO_ANSWER' })))
    outgoing.on('error', ({ code = 'unknown', message }: NodeJS.ErrnoException) =>
      resolve({
        error: code === 'ECONNRESET' ? `${code} ${message}` : code,
        sent: code !== 'ECONNREFUSED' && !message.startsWith('connect '),
      }),
    )
    outgoing.end(body)
  })

type Addresses = { readonly webhooks: ReadonlyArray<string>; readonly bot: ReadonlyArray<string> }

/** Posts events and records every request with its response, outside of the bridge's process. */
export const recorder = (addresses: Addresses) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 200 })
  const history: Exchange[] = []
  const stopping = new AbortController()
  let halted = false

  /** If nothing listens at an address, no request was sent: it tries the next address, repeatedly. */
  const send = async ({ chat, seq, api, body }: Event): Promise<Exchange | undefined> => {
    for (let attempt = seq; !stopping.signal.aborted; attempt++) {
      const sentAt = performance.now()
      const urls = addresses[api]
      const { sent, ...answer } = await post(agent, urls[attempt % urls.length] ?? '', body)
      if (!sent) await wait(20)
      else {
        const exchange = { chat, seq, sentAt, endedAt: performance.now(), ...answer }
        history.push(exchange)
        return exchange
      }
    }
    return undefined
  }
  /** Each worker has its own chats and posts one event at a time, so a chat has at most one event in flight. */
  const drive = async (
    streams: ReadonlyArray<Generator<Event>>,
    { count = Number.POSITIVE_INFINITY, pauseMs = 0 } = {},
  ) => {
    let left = count
    await Promise.all(
      streams.map(async (events) => {
        for (const event of events) {
          if (halted || left-- <= 0 || stopping.signal.aborted) return
          await send(event)
          if (pauseMs > 0) await wait(pauseMs)
        }
      }),
    )
  }
  return {
    history,
    send,
    drive,
    sent: () => history.length,
    accepted: () => history.reduce((sum, { status }) => sum + (status === 200 ? 1 : 0), 0),
    /** Stops `drive`; it still waits for the requests in flight. */
    halt: () => {
      halted = true
    },
    stop: () => {
      stopping.abort()
      agent.destroy()
    },
  }
}
export type Recorder = ReturnType<typeof recorder>
