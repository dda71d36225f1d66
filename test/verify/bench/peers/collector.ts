import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '../worker.ts'

export type CollectorAsk = 'listen' | 'received'
export type CollectorGiven = { readonly url: string; readonly bytes: number }

/** Receives what a Collector would, and counts its bytes only. */
let bytes = 0
const server = createServer((request, response) => {
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  request.on('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end())
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

serve<CollectorAsk>(async (): Promise<CollectorGiven> => ({ url, bytes }))
