import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * A proxy in front of a port. While it is paused, it accepts connections and keeps them open, but passes no data in
 * either direction. To a client it is a server that hangs.
 */
export const pausableProxy = async (port: number) => {
  const sockets = new Set<Socket>()
  let paused = false
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes) => to.write(bytes))
      from.on('error', () => to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      if (paused) from.pause()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port: own } = server.address() as AddressInfo
  return {
    port: own,
    pause: () => {
      paused = true
      for (const socket of sockets) socket.pause()
    },
    resume: () => {
      paused = false
      for (const socket of sockets) socket.resume()
    },
    stop: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
