import { once } from 'node:events'
import { Agent } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { send } from '../../ingress/harness.ts'

const tokens = '/oauth/token'
const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** Counts answers by status; 0 stands for no answer. */
const tally = () => {
  const answers = new Map<number, number>()
  return {
    answers,
    count: (status: number) => answers.set(status, (answers.get(status) ?? 0) + 1),
    told: () => [...answers].map(([status, times]) => `${times} times ${status || 'no answer'}`).join(', '),
  }
}

/** What a regular expression that backtracks reads for a long time: it ends with what fits nowhere. */
const slowType = `text/plain;charset=${' '.repeat(7_000)}x y`
const typesPerSecond = 8

/** Asks for tokens with such a media type, without waiting for the answers. */
const slowTypes = (port: number, localAddress: string) => {
  const agent = new Agent({ keepAlive: true, localAddress })
  const { count, told, answers } = tally()
  const one = async () => {
    const reply = await send(port, tokens, { headers: { 'content-type': slowType }, body: 'x', agent }).catch(
      () => undefined,
    )
    count(reply?.status ?? 0)
  }
  const timer = setInterval(one, 1000 / typesPerSecond)
  return {
    told,
    answers,
    stop: () => {
      clearInterval(timer)
      agent.destroy()
    },
  }
}

const comesAgainMs = 5_000

/** So many connections of each size that send all of a request for a token but its last byte, and stay; one that is closed comes again. */
const holders = (port: number, localAddress: string, each: Readonly<Record<number, number>>) => {
  const sockets = new Set<Socket>()
  const stopping = new AbortController()
  let opened = 0
  const hold = (request: Buffer) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    opened++
    sockets.add(socket)
    socket.write(request)
    socket.resume().on('error', () => undefined)
    socket.on('close', async () => {
      sockets.delete(socket)
      // Not all at once.
      const later = comesAgainMs * (0.5 + Math.random())
      await wait(later, undefined, { signal: stopping.signal }).catch(() => undefined)
      if (!stopping.signal.aborted) hold(request)
    })
  }
  for (const [size, count] of Object.entries(each)) {
    const type = `Content-Type: ${form['content-type']}`
    const head = `POST ${tokens} HTTP/1.1\r\nHost: x\r\n${type}\r\nContent-Length: ${size}\r\n\r\n`
    const request = Buffer.concat([Buffer.from(head), Buffer.alloc(Number(size) - 1, 'x')])
    for (let n = 0; n < count; n++) hold(request)
  }
  return {
    opened: () => opened,
    stop: () => {
      stopping.abort()
      for (const socket of sockets) socket.destroy()
    },
  }
}

const atOnce = 80

/** Guesses tokens of both interfaces and a client's secret, many at a time, each as soon as the one before is answered. */
const guesses = (port: number, localAddress: string, clientId: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce, localAddress })
  const { count, told, answers } = tally()
  const began = performance.now()
  let isOver = false
  const one = (n: number) => {
    const [path, body] = [
      [`/webhooks/guessed-token-${n}`, '{}'] as const,
      [`/bot/guessed-token-${n}`, '{}'] as const,
      [tokens, `grant_type=client_credentials&client_id=${clientId}&client_secret=guessed-secret-${n}`] as const,
    ][n % 3] as readonly [string, string]
    return send(port, path, { body, agent, ...(path === tokens && { headers: form }) })
  }
  const guess = async (first: number) => {
    for (let n = first; !isOver; n += atOnce) {
      const reply = await one(n).catch(() => undefined)
      count(reply?.status ?? 0)
      if (reply === undefined) await wait(100)
    }
  }
  const all = Promise.all(Array.from({ length: atOnce }, (_, n) => guess(n)))
  return {
    told,
    answers,
    /** Resolves when the last one is answered; seconds from the first on. */
    stop: async () => {
      isOver = true
      await all
      agent.destroy()
      return (performance.now() - began) / 1000
    },
  }
}

type Target = { readonly port: number; readonly clientId: string }
type Report = {
  readonly requests: number
  readonly holders: number
  readonly guesses: { readonly answers: ReadonlyMap<number, number>; readonly told: string; readonly seconds: number }
  readonly types: string
}

/** Connections by the bytes that each announces: within the limit of such a body, and far above it. */
const bodies = { [8 * 1024]: 300, [1024 ** 2]: 500 }

/** The attack, in a thread of its own: it must not hold up whoever measures how long good events take. Guesses have an address of their own. */
const attackUntilTold = ({ port, clientId }: Target) => {
  const [types, held] = [slowTypes(port, '127.0.0.3'), holders(port, '127.0.0.3', bodies)]
  const guessed = guesses(port, '127.0.0.2', clientId)
  parentPort?.once('message', async () => {
    const seconds = await guessed.stop()
    types.stop()
    held.stop()
    const requests = [...types.answers, ...guessed.answers].reduce((sum, [, times]) => sum + times, held.opened())
    const report: Report = {
      requests,
      holders: held.opened(),
      guesses: { answers: guessed.answers, told: guessed.told(), seconds },
      types: types.told(),
    }
    parentPort?.postMessage(report)
    parentPort?.close()
  })
}
if (!isMainThread) attackUntilTold(workerData)

/** Starts the attack; `stop` resolves when the last guess is answered. */
export const strangersAttack = (target: Target) => {
  const worker = new Worker(new URL(import.meta.url), { workerData: target })
  const report = once(worker, 'message').then(([told]) => told as Report)
  return {
    stop: () => {
      worker.postMessage('stop')
      return report
    },
  }
}
