import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type * as tls from 'node:tls'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Sockets, trackedSockets } from '../../../src/bridge/kafka/sockets.ts'

/** A server that accepts connections and sends nothing. */
const silentServer = async (): Promise<Server> => {
  const server = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}
const noTls = false as unknown as tls.ConnectionOptions
const open = async ({ factory }: Sockets, server: Server): Promise<Socket> => {
  const { port } = server.address() as AddressInfo
  const socket = factory({ host: '127.0.0.1', port, ssl: noTls, onConnect: () => {} })
  await once(socket, 'connect')
  return socket
}
const endOf = (socket: Socket) =>
  new Promise<string>((resolve) => socket.once('error', ({ message }) => resolve(message)))

const sockets = suite('tracked sockets')

sockets('a connection without traffic is destroyed with an error, which rejects waiting requests', async () => {
  const server = await silentServer()
  const socket = await open(trackedSockets(20), server)

  assert.is(await endOf(socket), 'no answer on the connection')
  assert.ok(socket.destroyed)
  server.close()
})

sockets('all open sockets are destroyed at once, and new ones may be opened', async () => {
  const server = await silentServer()
  const tracked = trackedSockets(60_000)
  const before = await Promise.all([open(tracked, server), open(tracked, server)])
  const ends = before.map(endOf)

  tracked.destroy('a request was not answered in time')

  assert.equal(await Promise.all(ends), ['a request was not answered in time', 'a request was not answered in time'])
  const after = await open(tracked, server)
  assert.not.ok(after.destroyed)
  after.on('error', () => {})
  tracked.close()
  server.close()
})

sockets('a closed client cannot open a socket', async () => {
  const server = await silentServer()
  const tracked = trackedSockets(60_000)
  tracked.close()

  const opening = await open(tracked, server).catch(String)

  assert.is(opening, 'KafkaDoesNotAnswer: this connection was given up')
  server.close()
})

sockets('a closed socket keeps no listeners', async () => {
  const server = await silentServer()
  const tracked = trackedSockets(60_000)
  const socket = await open(tracked, server)
  const ended = endOf(socket)
  tracked.close()
  await ended
  for (let i = 0; i < 20; i++) socket.unref()
  assert.is(socket.listenerCount('connect'), 0)
  server.close()
})

sockets.run()
