import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Heard = {
  readonly path: string
  readonly authorization: string | undefined
  readonly contentType: string | undefined
  readonly body: string
}
/** The answer; undefined means that there is never an answer. */
export type Respond = (heard: Heard) => { readonly status: number; readonly body: unknown } | undefined

const ok = { status: 200, body: { result: 'ok' } }

/** A server in place of a bridge. It records requests, and `respond` decides its answers. */
export const startFakeBridge = async (respond: Respond = () => ok) => {
  const heard: Heard[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { authorization, 'content-type': contentType } = request.headers
    const one = { path: request.url ?? '', authorization, contentType, body }
    heard.push(one)
    const answer = respond(one)
    if (answer === undefined) return
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    heard,
    stop: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
