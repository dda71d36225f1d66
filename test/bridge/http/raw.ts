import { connect } from 'node:net'

/** Sends bytes unchanged, and collects the answer until the connection closes. `more` may send further bytes. */
export const raw = (
  port: number,
  bytes: string,
  more: (write: (bytes: string | Buffer) => boolean) => void = () => undefined,
): Promise<string> =>
  new Promise((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(bytes)
      more((chunk) => socket.writable && socket.write(chunk))
    })
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString()
    })
    socket.on('error', () => undefined).on('close', () => resolve(answer))
  })

/** Status and JSON body of an answer. */
export const parse = (answer: string) => ({
  status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]),
  closes: /^connection: close/im.test(answer),
  body: JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4) || 'null'),
})
