import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Means } from './perform.ts'
import type { Receive } from './receive.ts'
import { errorBody } from './refusal.ts'

const maxBytes = 1_000_000

const readAll = async (request: IncomingMessage) => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    const part = Buffer.from(chunk)
    bytes += part.length
    if (bytes <= maxBytes) chunks.push(part)
  }
  return Buffer.concat(chunks)
}

const meansOf = (response: ServerResponse, sleep: Means['sleep']): Omit<Means, 'apply'> => {
  const begin = (status: number, text: string, headers: Readonly<Record<string, string>> = {}) =>
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      ...headers,
    })
  return {
    sleep,
    answer: (status, body, headers) => {
      const text = JSON.stringify(body)
      begin(status, text, headers).end(text)
    },
    answerSlowly: async (status, body, ms) => {
      const text = JSON.stringify(body)
      const half = Math.floor(text.length / 2)
      begin(status, text).write(text.slice(0, half))
      await sleep(ms)
      response.end(text.slice(half))
    },
    drop: () => void response.destroy(),
  }
}

/** Listens on loopback. `stop` closes open connections. */
export const listen = async (receive: Receive, sleep: Means['sleep'], port: number) => {
  const server = createServer(async (request, response) => {
    // A client that disconnects, even in the middle of its request, is no error of the service.
    response.on('error', () => {})
    const means = meansOf(response, sleep)
    try {
      const { method = '', url: path = '', headers } = request
      await receive({ method, path, headers, body: await readAll(request) }, means)
    } catch (error) {
      if (response.headersSent) return response.destroy()
      means.answer(500, errorBody({ code: 'invalid_request', message: String(error) }))
    }
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
