import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { semaphore } from '../../../bridge/shared/semaphore.ts'
import { type Acts, actOf, handOver } from '../acts.ts'
import type { Conversing } from '../chat.ts'
import type { Answer, Failing } from '../judge.ts'
import type { Turn } from '../turns.ts'
import type { FromBot, Question, Raw } from './messages.ts'

/** A bot that can talk in many chats at once. */
export type Bot = {
  readonly converse: () => Conversing
  readonly stop: () => Promise<void>
}

export type ModuleOptions = {
  /** The absolute path of the module. */
  readonly path: string
  /** In ms. */
  readonly replyWithin: number
  /** True: the bot may use the network, and native code for it. It may never write files or run processes. */
  readonly network: boolean
  /** In ms. A module that takes longer to load hangs. Default: half a minute. */
  readonly loadWithinMs?: number
}

/** The process has ended or hangs. Its chats are asked again, each in a process of its own. */
class Gone extends Error {
  readonly failing: Failing
  constructor(failing: Failing) {
    super(failing.reason)
    this.failing = failing
  }
}

const child = fileURLToPath(new URL(`child${extname(import.meta.url)}`, import.meta.url))
const mayOnlyRead = ['--permission', '--allow-fs-read=*']
const andUseTheNetwork = ['--allow-net', '--allow-addons']
const quiet = ['--disable-warning=ExperimentalWarning', '--disable-warning=SecurityWarning']

/** Loaded modules are never given back, so a process has this many chats. The next chats get a new one. */
const chatsOfProcess = 500
/** How many chats whose process has ended are asked again at the same time. */
const aloneAtOnce = 4
/** In ms, beyond `replyWithin`: a process that does not answer then has a handler that never gives way. */
const graceMs = 5_000

const actsOf = ({ said, replies }: Raw): Acts => [
  ...said.map((reply) => (reply.kind === 'hand-over' ? handOver : actOf(reply.message, true))),
  ...replies.map((reply) => (reply.kind === 'hand-over' ? handOver : actOf(reply.message, false))),
]

type Running = {
  readonly ask: (chat: string, turn: Turn) => Promise<Answer>
  readonly end: (chat: string) => void
  readonly stop: () => Promise<void>
}

const startProcess = async ({
  path,
  replyWithin,
  network,
  loadWithinMs = 30_000,
}: ModuleOptions): Promise<E.Either<string, Running>> => {
  const started: ChildProcess = fork(child, [path, String(replyWithin)], {
    execArgv: [...quiet, ...mayOnlyRead, ...(network ? andUseTheNetwork : [])],
    // What a bot prints may be a client's words.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const exited = once(started, 'exit')
  const waiting = new Map<number, PromiseWithResolvers<Raw>>()
  const first = Promise.withResolvers<E.Either<string, void>>()
  let gone: Failing | undefined
  const lose = (failing: Failing) => {
    gone ??= failing
    for (const { reject } of waiting.values()) reject(new Gone(gone))
    waiting.clear()
    first.resolve(E.left('its process has ended while it was loaded'))
  }
  started.on('message', (message: FromBot) => {
    if (message.kind === 'ready') first.resolve(E.right(undefined))
    else if (message.kind === 'unusable') first.resolve(E.left(message.reason))
    else {
      waiting.get(message.id)?.resolve(message.raw)
      waiting.delete(message.id)
    }
  })
  started.on('error', () => lose({ verdict: 'threw', reason: 'its process cannot run' }))
  started.on('exit', () => lose({ verdict: 'threw', reason: 'ended its process' }))
  const send = (question: Question) => {
    if (gone === undefined && started.connected) started.send(question, () => {})
  }
  const loading = setTimeout(() => {
    first.resolve(E.left(`it has not been loaded within ${loadWithinMs} ms`))
    started.kill('SIGKILL')
  }, loadWithinMs)
  const ready = await first.promise
  clearTimeout(loading)
  if (E.isLeft(ready)) {
    started.kill('SIGKILL')
    return ready
  }
  let last = 0
  return E.right({
    ask: async (chat, { before, events }) => {
      if (gone !== undefined) throw new Gone(gone)
      const id = ++last
      const answered = Promise.withResolvers<Raw>()
      waiting.set(id, answered)
      send({ kind: 'ask', id, chat, before, events })
      const hangs = () => {
        lose({ verdict: 'slow', reason: `no answer within ${replyWithin} ms` })
        started.kill('SIGKILL')
      }
      const timer = setTimeout(hangs, replyWithin + graceMs + 1_000 * before.length)
      try {
        const raw = await answered.promise
        return { replies: actsOf(raw), ...(raw.failing && { failing: raw.failing }), ms: raw.ms }
      } finally {
        clearTimeout(timer)
      }
    },
    end: (chat) => send({ kind: 'end', chat }),
    stop: async () => {
      started.kill('SIGKILL')
      await exited
    },
  })
}

/** A process and how many chats it has had and has. */
type Seat = { readonly running: Promise<Running>; taken: number; open: number }

/**
 * Starts a bot module in processes of its own. Left: why it cannot be used. A chat whose process ends is asked again
 * alone, so that the failure is found in the chat that causes it.
 */
export const startBotModule = async (options: ModuleOptions): Promise<E.Either<string, Bot>> => {
  const start = async (): Promise<Running> => {
    const started = await startProcess(options)
    if (E.isLeft(started)) throw new Error(started.left)
    return started.right
  }
  if (!process.allowedNodeEnvironmentFlags.has('--allow-net'))
    return E.left(`Node ${process.version} cannot close the network of a bot, Node 26 can`)
  const first = await startProcess(options)
  if (E.isLeft(first)) return first
  const seats = new Set<Seat>()
  let seat: Seat = { running: Promise.resolve(first.right), taken: 0, open: 0 }
  seats.add(seat)
  let chats = 0
  const acquire = semaphore(aloneAtOnce)
  let isStopped = false

  const renew = () => {
    seat = { running: start(), taken: 0, open: 0 }
    seats.add(seat)
  }
  const leave = async (left: Seat) => {
    left.open--
    if (left.open > 0 || left === seat) return
    seats.delete(left)
    await (await left.running).stop()
  }
  const askAlone = async (past: ReadonlyArray<Turn>, turn: Turn): Promise<Answer> => {
    using _permit = await acquire()
    if (isStopped) throw new Error('it was stopped')
    const running = await start()
    try {
      for (const earlier of past) await running.ask('alone', earlier)
      return await running.ask('alone', turn)
    } catch (error) {
      if (!(error instanceof Gone)) throw error
      return { replies: [], failing: error.failing, ms: options.replyWithin }
    } finally {
      await running.stop()
    }
  }
  return E.right({
    converse: () => {
      if (seat.taken >= chatsOfProcess) renew()
      const mine = seat
      mine.taken++
      mine.open++
      const chat = `chat-${++chats}`
      const past: Turn[] = []
      let isAlone = false
      return {
        ask: async (turn) => {
          try {
            if (isAlone) return await askAlone(past, turn)
            return await (await mine.running).ask(chat, turn)
          } catch (error) {
            if (!(error instanceof Gone)) throw error
            if (seat === mine) renew()
            isAlone = true
            return await askAlone(past, turn)
          } finally {
            past.push(turn)
          }
        },
        end: () => {
          void mine.running.then((running) => running.end(chat)).then(() => leave(mine))
        },
      }
    },
    stop: async () => {
      isStopped = true
      for (let i = 0; i < aloneAtOnce; i++) await acquire()
      await Promise.all([...seats].map(async ({ running }) => (await running).stop()))
    },
  })
}
