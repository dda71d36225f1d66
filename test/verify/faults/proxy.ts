import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { frames } from './frames.ts'

const produceKey = 0
const isProduce = (request: Buffer) => request.length > 8 && request.readInt16BE(4) === produceKey
const correlationIn = (message: Buffer, at: number) => message.readInt32BE(at)

/** A fifth of the connections that lost something stay open and silent; the others are closed a little later. */
const silentShare = 0.2
const cutAfterMs = 150

/**
 * A proxy in front of a broker's port. At the rate of `swallow` it drops Produce requests, which then never reach the
 * broker, and responses to Produce requests, which then never reach the client. `freeze` keeps connections open but
 * passes nothing.
 */
export const faultyProxy = async (random: () => number) => {
  const pairs = new Set<{ readonly near: Socket; readonly far: Socket }>()
  const state = { port: 0, swallow: 0, frozen: false, swallowed: 0 }
  const strikes = () => state.swallow > 0 && random() < state.swallow

  const server = createServer((near) => {
    const far = connect(state.port, '127.0.0.1')
    const pair = { near, far }
    const awaited = new Set<number>()
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    const lose = () => {
      state.swallowed++
      if (random() >= silentShare) setTimeout(end, cutAfterMs * random())
    }
    const toBroker = frames((request) => {
      if (isProduce(request)) {
        if (strikes()) return lose()
        awaited.add(correlationIn(request, 8))
      }
      far.write(request)
    })
    const toClient = frames((answer) => {
      if (answer.length >= 8 && awaited.delete(correlationIn(answer, 4)) && strikes()) return lose()
      near.write(answer)
    })
    near.on('data', toBroker).on('error', end).on('close', end)
    far.on('data', toClient).on('error', end).on('close', end)
    if (!state.frozen) return
    near.pause()
    far.pause()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const each = (act: (socket: Socket) => void) => {
    for (const { near, far } of pairs) for (const socket of [near, far]) act(socket)
  }

  return {
    port,
    swallowed: () => state.swallowed,
    /** Sets the broker's new port. */
    lead: (to: number) => Object.assign(state, { port: to }),
    swallow: (rate: number) => Object.assign(state, { swallow: rate }),
    freeze: () => {
      state.frozen = true
      each((socket) => socket.pause())
    },
    thaw: () => {
      state.frozen = false
      each((socket) => socket.resume())
    },
    /** Resets every connection. */
    cut: () => each((socket) => socket.resetAndDestroy()),
    stop: () => {
      each((socket) => socket.destroy())
      server.close()
    },
  }
}
