import { connect, type Socket } from 'node:net'

/** Called with the status of a response; 0 if there was none. */
type Heard = (status: number) => void

const headEnd = '\r\n\r\n'

/** The end of the response at the start of the text; undefined while the response is incomplete. */
const endOf = (text: string): number | undefined => {
  const head = text.indexOf(headEnd)
  if (head < 0) return undefined
  const body = head + headEnd.length
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, head))?.[1]
  if (length !== undefined) return text.length >= body + Number(length) ? body + Number(length) : undefined
  return text.endsWith('0\r\n\r\n') ? text.length : undefined
}

/**
 * A kept-alive HTTP/1.1 connection with one request in flight at a time. It is only a socket and a small parser,
 * because the load shares two cores with the measured process.
 */
export const openConnection = async (port: number) => {
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  let heard: Heard | undefined
  let text = ''
  let isOpen = true
  const end = (status: number) => {
    const hear = heard
    heard = undefined
    text = ''
    hear?.(status)
  }
  const lost = () => {
    isOpen = false
    end(0)
  }
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    if (endOf(text) !== undefined) end(Number(text.slice(9, 12)))
  })
  socket.on('error', lost).on('close', lost)
  return {
    send: (request: Buffer, hear: Heard) => {
      heard = hear
      if (isOpen) socket.write(request)
      else lost()
    },
    isOpen: () => isOpen,
    close: () => socket.destroy(),
  }
}
export type Connection = Awaited<ReturnType<typeof openConnection>>
