import { once } from 'node:events'
import { request } from 'node:http'

export type InFlight = {
  /** Sends the rest of the body. */
  readonly finish: () => void
  /** The status, or why there was none. */
  readonly answer: Promise<number | string>
}

/** A request of which the server has the headers (its `100 Continue` proves it) and half of the body. */
export const openRequest = async (url: string, body: string): Promise<InFlight> => {
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    expect: '100-continue',
  }
  const outgoing = request(url, { method: 'POST', agent: false, headers })
  const { promise: answer, resolve } = Promise.withResolvers<number | string>()
  outgoing.on('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => resolve(code))
  outgoing.on('response', (incoming) => {
    incoming.resume()
    incoming.on('end', () => resolve(incoming.statusCode ?? 0))
    incoming.on('error', ({ name }) => resolve(name))
  })
  outgoing.flushHeaders()
  await once(outgoing, 'continue')
  const bytes = Buffer.from(body)
  const half = Math.floor(bytes.length / 2)
  outgoing.write(bytes.subarray(0, half))
  return { answer, finish: () => outgoing.end(bytes.subarray(half)) }
}
