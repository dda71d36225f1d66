import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '../worker.ts'
import { groupCommit, hearTopic } from './group-commit.ts'

export type FloorAsk = {
  readonly brokers: ReadonlyArray<string>
  readonly messages: string
  readonly replies: string
  /** The address for replies. */
  readonly serviceUrl: string
}
export type FloorGiven = { readonly url: string }

const answer = '{"result":"ok"}'
const json = { 'content-type': 'application/json' }

/** The hops of a message and its reply, and nothing more: no checks, no storage, no retries. */
serve<FloorAsk>(async ({ brokers, messages, replies, serviceUrl }): Promise<FloorGiven> => {
  const publish = await groupCommit(brokers, messages)
  const agent = new Agent({ keepAlive: true })
  await hearTopic(brokers, replies, `${replies}-floor`, ({ value }) => {
    request(serviceUrl, { method: 'POST', agent, headers: json }, (incoming) => incoming.resume()).end(value)
  })
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const value = Buffer.concat(chunks)
    await publish({ key: JSON.parse(value.toString()).chat_id, value })
    response.writeHead(200, { ...json, 'content-length': answer.length }).end(answer)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
})
