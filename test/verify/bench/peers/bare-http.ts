import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '../worker.ts'
import type { KoaGiven } from './koa.ts'

const answer = '{"result":"ok"}'
const headers = { 'content-type': 'application/json', 'content-length': answer.length }

/** Node's own HTTP server, which parses the JSON and does nothing with it. */
serve<object>(async (): Promise<KoaGiven> => {
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => {
      text += chunk
    })
    request.on('end', () => {
      JSON.parse(text)
      response.writeHead(200, headers).end(answer)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port }
})
