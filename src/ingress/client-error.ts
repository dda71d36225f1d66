import type { Duplex } from 'node:stream'
import { refusalBody } from './answering.ts'

const statuses: Readonly<Record<string, readonly [string, string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'headers: expected fewer bytes'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'request: expected all of it sooner'],
}
const malformed = ['400 Bad Request', 'request: expected HTTP/1.1'] as const

/** Answers what is not HTTP, or came too slowly, and closes the connection. */
export const onClientError = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, message] = statuses[error.code ?? ''] ?? malformed
  const body = JSON.stringify(refusalBody(undefined, { status: 0, code: 'invalid_request', message }))
  const head = `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8`
  socket.end(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}
