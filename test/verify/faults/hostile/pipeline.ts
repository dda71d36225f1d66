import { connect } from 'node:net'
import { sample } from '../../../support/samples.ts'

const bodies = [sample('webhooks', 'chat_accepted'), '{"event_name":', sample('webhooks', 'call_event'), '[]']
const expected = [200, 400, 200, 400]
const busy = 503

const request = (path: string, n: number, last: boolean) => {
  const body = bodies[n % bodies.length] ?? ''
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    'Content-Type: application/json',
    `X-Request-Id: ${n}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(last ? ['Connection: close'] : []),
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

/** Sends requests on one connection without waiting. Reports missing, extra and out-of-order responses. */
export const pipeline = (port: number, path: string, count: number): Promise<ReadonlyArray<string>> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => {
      for (let n = 0; n < count; n++) socket.write(request(path, n, n === count - 1))
    })
    socket.setTimeout(60_000, () => socket.destroy())
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', () => undefined)
    socket.on('close', () => {
      const text = Buffer.concat(chunks).toString()
      const answers = [...text.matchAll(/HTTP\/1\.1 (\d+)[\s\S]*?X-Request-Id: (\d+)/gi)].map(([, status, id]) => ({
        status: Number(status),
        id: Number(id),
      }))
      const wrong = answers.filter(
        ({ status, id }, n) => id !== n || ![busy, expected[n % expected.length]].includes(status),
      )
      resolve([
        ...(answers.length === count ? [] : [`${answers.length} answers to ${count} requests`]),
        ...wrong.map(({ status, id }) => `status ${status} to the request ${id}`),
      ])
    })
  })
