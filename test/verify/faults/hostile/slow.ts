import { connect } from 'node:net'
import { limits } from '../../../../src/bridge/http/limits.ts'

type Slow = { readonly what: string; readonly limitMs: number; readonly begin: string; readonly more: string }

const post = (path: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n`

/** Three ways to keep a connection busy with an occasional byte, each with the bridge's time limit for it. */
const waysOf = (tokens: Readonly<Record<'webhooks' | 'bot', string>>): ReadonlyArray<Slow> => [
  { what: 'headers', limitMs: limits.headersMs, begin: post(`/webhooks/${tokens.webhooks}`), more: 'X: y\r\n' },
  {
    what: 'a body of Interface A',
    limitMs: limits.requestMs,
    begin: `${post(`/webhooks/${tokens.webhooks}`)}\r\n{`,
    more: ' ',
  },
  { what: 'a body of Interface B', limitMs: limits.botMs, begin: `${post(`/bot/${tokens.bot}`)}\r\n{`, more: ' ' },
]

/**
 * Milliseconds from the first byte until the server closed the connection, and the status of its response. If a byte is
 * on its way when the server closes, the connection is reset, and the response may be lost.
 */
const drip = (port: number, { begin, more }: Slow, withinMs: number) =>
  new Promise<{ readonly tookMs: number; readonly status: number | undefined }>((resolve) => {
    let answer = ''
    let began = performance.now()
    let timer: NodeJS.Timeout | undefined
    const socket = connect(port, '127.0.0.1', () => {
      began = performance.now()
      socket.write(begin)
      timer = setInterval(() => socket.writable && socket.write(more), 200)
    })
    const impatient = setTimeout(() => socket.destroy(), withinMs)
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearInterval(timer)
      clearTimeout(impatient)
      const status = /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]
      resolve({ tookMs: performance.now() - began, status: status === undefined ? undefined : Number(status) })
    })
  })

/**
 * Opens this many connections of each way at once. Reports those that were not closed within their limit and the
 * allowance, or had a status other than 408, and how long the slowest of each way lived.
 */
export const slowly = async (
  port: number,
  tokens: Readonly<Record<'webhooks' | 'bot', string>>,
  each: number,
  allowanceMs: number,
) => {
  const ways = waysOf(tokens).map(async (way) => {
    const latest = way.limitMs + allowanceMs
    const ended = await Promise.all(Array.from({ length: each }, () => drip(port, way, latest + 5_000)))
    return {
      longest: `${way.what} ${(Math.max(...ended.map(({ tookMs }) => tookMs)) / 1000).toFixed(1)} s of ${way.limitMs / 1000} s`,
      wrong: ended
        .filter(({ tookMs, status }) => tookMs > latest || (status !== undefined && status !== 408))
        .map(({ tookMs, status }) => `${way.what}: status ${status} after ${Math.round(tookMs)} ms`),
    }
  })
  const all = await Promise.all(ways)
  return { longest: all.map(({ longest }) => longest).join(', '), wrong: all.flatMap(({ wrong }) => wrong) }
}
