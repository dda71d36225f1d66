import { once } from 'node:events'
import { Agent } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { send } from '../../../bridge/ingress/harness.ts'

const tokens = '/oauth/token'
const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** Counts responses by status; 0 is no response. */
const tally = () => {
  const answers = new Map<number, number>()
  return {
    answers,
    count: (status: number) => answers.set(status, (answers.get(status) ?? 0) + 1),
    told: () => [...answers].map(([status, times]) => `${times} times ${status || 'no answer'}`).join(', '),
  }
}

/** A regular expression that backtracks reads this for a long time: the end matches nothing. */
const slowType = `text/plain;charset=${' '.repeat(7_000)}x y`
const typesPerSecond = 8

/** Requests access tokens with such a media type, without waiting for the responses. */
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

/** Connections that send a token request without its last byte. A closed connection is opened again. */
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
      // A random delay, so that they do not all reconnect at once.
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

/** Guesses tokens of both interfaces and a client's secret, many in parallel, as fast as responses arrive. */
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
    /** Resolves at the last response, with the seconds since the first guess. */
    stop: async () => {
      isOver = true
      await all
      agent.destroy()
      return (performance.now() - began) / 1000
    },
  }
}

const stalePerSecond = 40

/** An account whose tokens were replaced, and whose old ones are still sent. */
export type StaleAccount = { readonly botToken: string; readonly clientId: string }

/** Sends a removed token, a stale Authorization and a removed secret, each 40 times a second, without waiting. */
const stale = (port: number, localAddress: string, { botToken, clientId }: StaleAccount) => {
  const agent = new Agent({ keepAlive: true, localAddress })
  const { count, told, answers } = tally()
  const json = { 'content-type': 'application/json' }
  const requests = [
    ['/webhooks/webhooks-token-removed', { body: '{}' }],
    [`/bot/${botToken}`, { body: '{}', headers: { ...json, authorization: 'Bearer a-stale-access-token' } }],
    [
      tokens,
      { headers: form, body: `grant_type=client_credentials&client_id=${clientId}&client_secret=a-removed-secret` },
    ],
  ] as const
  const timer = setInterval(() => {
    for (const [path, sent] of requests)
      send(port, path, { ...sent, agent }).then(
        ({ status }) => count(status),
        () => count(0),
      )
  }, 1000 / stalePerSecond)
  return {
    told,
    answers,
    stop: () => {
      clearInterval(timer)
      agent.destroy()
    },
  }
}

type Target = { readonly port: number; readonly clientId: string; readonly staleAccount: StaleAccount }
type Answers = { readonly answers: ReadonlyMap<number, number>; readonly told: string }
type Report = {
  readonly requests: number
  readonly holders: number
  readonly guesses: Answers & { readonly seconds: number }
  readonly stale: Answers
  readonly types: string
}

/** Number of connections by the announced size: within the limit of such a body, and far above it. */
const bodies = { [8 * 1024]: 300, [1024 ** 2]: 500 }

/**
 * The attack, in its own thread: it must not delay the timing of good events. Guesses have their own address, and what
 * is stale comes from the address of the good events.
 */
const attackUntilTold = ({ port, clientId, staleAccount }: Target) => {
  const staleRequests = stale(port, '127.0.0.1', staleAccount)
  const [types, held] = [slowTypes(port, '127.0.0.3'), holders(port, '127.0.0.3', bodies)]
  const guessed = guesses(port, '127.0.0.2', clientId)
  parentPort?.once('message', async () => {
    const seconds = await guessed.stop()
    types.stop()
    held.stop()
    staleRequests.stop()
    const requests = [...types.answers, ...guessed.answers, ...staleRequests.answers].reduce(
      (sum, [, times]) => sum + times,
      held.opened(),
    )
    const report: Report = {
      requests,
      holders: held.opened(),
      guesses: { answers: guessed.answers, told: guessed.told(), seconds },
      stale: { answers: staleRequests.answers, told: staleRequests.told() },
      types: types.told(),
    }
    parentPort?.postMessage(report)
    parentPort?.close()
  })
}
if (!isMainThread) attackUntilTold(workerData)

/** Starts the attack; `stop` resolves at the response to the last guess. */
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
