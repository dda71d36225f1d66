import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { right } from '../../../support/either.ts'
import { wireFormNamed } from '../../../support/wire-form.ts'
import { sumOfNewest } from '../seed.ts'
import { bodies, eventOf, firstNumber } from './bodies.ts'
import { openConnection } from './connection.ts'
import { closedLoop, openLoop } from './loops.ts'
import { firstRead } from './readable.ts'

const bodyOf = (request: Buffer) => request.toString().split('\r\n\r\n')[1] ?? ''

const load = suite('load of the benchmark')

load('no two requests have the same body, each is a chat_accepted of 1.3 KB, and chats end', () => {
  const { request } = bodies('/hook', '127.0.0.1', { chats: 5, perChat: 3 })
  const texts = Array.from({ length: 23 }, (_, number) => bodyOf(request(number)))
  assert.is(new Set(texts).size, 23)
  const first = JSON.parse(texts[0] ?? '').chat_id
  for (const [number, text] of texts.entries()) {
    const { chat_id, visitor } = right(wireFormNamed('chat_accepted').decode(JSON.parse(text)))
    assert.is(Number(chat_id) - Number(first), 5 * Math.floor(number / 15) + (number % 5))
    assert.is(visitor?.number, String(chat_id))
    assert.is(visitor?.chats_count, firstNumber + (Math.floor(number / 5) % 3))
    assert.equal(eventOf({ chats: 5, perChat: 3 }, number), { chat: String(chat_id), number: visitor?.chats_count })
    assert.ok(text.length > 1200 && text.length < 1450, `${text.length} bytes`)
  }
})

load('an event can be read when its document has it or a later event of the chat, and not before', () => {
  const reads = [
    { chat: '7', number: 2, at: 20 },
    { chat: '7', number: 4, at: 40 },
  ]
  for (const [number, at] of [
    [1, 20],
    [2, 20],
    [3, 40],
    [5, undefined],
  ] as const)
    assert.is(firstRead(reads, { chat: '7', number }), at)
})

load('the expected sum is the sum of the numbers of the last event of each chat', () => {
  for (const [events, chats] of [
    [0, 3],
    [2, 3],
    [7, 3],
    [9, 3],
  ] as const) {
    const newest = new Map<number, number>()
    for (let n = 0; n < events; n++) newest.set(n % chats, firstNumber + Math.floor(n / chats))
    const sum = [...newest.values()].reduce((total, number) => total + number, 0)
    assert.is(sumOfNewest(events, chats), sum)
  }
})

/** Sends the next of the responses to each request, in these pieces. */
const serverOf = async (answers: ReadonlyArray<ReadonlyArray<string>>) => {
  const left = [...answers]
  const server = createServer((socket) => {
    socket.on('data', async () => {
      const pieces = left.shift()
      if (pieces === undefined) return socket.destroy()
      for (const piece of pieces) await new Promise<void>((resolve) => socket.write(piece, () => setImmediate(resolve)))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

load(
  'an answer is reported when it is complete, with a length or in chunks; a missing answer is reported as 0',
  async () => {
    const server = await serverOf([
      ['HTTP/1.1 200 OK\r\nContent-Le', 'ngth: 4\r\n\r\n', 'ab', 'cd'],
      ['HTTP/1.1 503 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n', '0\r\n\r\n'],
    ])
    const connection = await openConnection(server.port)
    const heard = []
    for (let i = 0; i < 3; i++) heard.push(await new Promise((resolve) => connection.send(Buffer.from('x'), resolve)))
    assert.equal(heard, [200, 503, 0])
    assert.not(connection.isOpen())
    server.close()
  },
)

/** A connection that responds when the test says so. */
const heldConnection = () => {
  const held: Array<() => void> = []
  return {
    connection: {
      send: (_: Buffer, hear: (status: number) => void) => void held.push(() => hear(200)),
      isOpen: () => true,
      close: () => undefined as never,
    },
    release: () => held.splice(0).forEach((answer) => void answer()),
  }
}

load(
  'an open loop measures from the time when a request was due, even if it had to wait for a connection',
  async () => {
    const { connection, release } = heldConnection()
    const since: number[] = []
    let asked = 0
    const loop = {
      connections: [connection],
      seconds: 0.05,
      next: () => Buffer.from(String(asked++)),
      heard: (_: number, at: number) => void since.push(at),
    }
    const running = openLoop(loop, 200)
    const releasing = setInterval(() => asked > 0 && release(), 30)
    await running
    clearInterval(releasing)
    assert.is(since.length, 10)
    const [first = 0] = since
    assert.equal(
      since.map((at) => Math.round(at - first)),
      [0, 5, 10, 15, 20, 25, 30, 35, 40, 45],
    )
  },
)

load('a closed loop has one outstanding request for each connection', async () => {
  const held = [heldConnection(), heldConnection()]
  let [asked, answered, most] = [0, 0, 0]
  const running = closedLoop({
    connections: held.map(({ connection }) => connection),
    seconds: 0.05,
    next: () => {
      most = Math.max(most, ++asked - answered)
      return Buffer.from('x')
    },
    heard: () => void answered++,
  })
  const releasing = setInterval(() => held.forEach(({ release }) => void release()), 1)
  await running
  clearInterval(releasing)
  assert.is(answered, asked)
  assert.is(most, 2)
})

load.run()
