import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Receives the traces that a bridge exports, and writes the bytes to a file. */
export const startCollector = async (file: string) => {
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => appendFileSync(file, chunk))
    request.on('end', () => response.end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
