import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { backoff } from '../bridge/shared/backoff.ts'
import type { Log } from '../bridge/shared/log.ts'
import { settled } from '../bridge/shared/timeout.ts'
import type { KafkaConfig } from './config.ts'
import type { MongoConfig } from './environment.ts'
import type { Servers } from './start-servers.ts'

/** The two processes of `npm start`. */
export type ChildName = 'front' | 'back'
export const rolesOfChild = {
  front: ['ingress', 'egress'],
  back: ['projector', 'archiver', 'console'],
} as const
export const otherChild = { front: 'back', back: 'front' } as const

/** What the parent sends to its front and its back. */
export type FromParent =
  | { readonly do: 'start'; readonly kafka: KafkaConfig; readonly mongo: MongoConfig; readonly token: string }
  /** Where the operators' port of the other process listens. Absent while it does not run. */
  | { readonly do: 'peer'; readonly url?: string }
  | { readonly do: 'stop' }

/** What front and back send to their parent. */
export type FromChild =
  | { readonly is: 'waiting' }
  | { readonly is: 'listening'; readonly url: string; readonly adminUrl: string }
  | { readonly is: 'ready'; readonly signInLink?: string }
  | { readonly is: 'failed'; readonly reason: string; readonly exitCode: number }

export type Failed = { readonly reason: string; readonly exitCode: number }

export type Pair = {
  /** Resolves when both processes run all their roles, or when one of them cannot. */
  readonly ready: Promise<
    Failed | { readonly url: string; readonly adminUrl: string; readonly signInLink?: string | undefined }
  >
  /** Resolves when front has ended although nobody stopped it. */
  readonly failed: Promise<Failed>
  /** Both may begin, with these servers. Until then they load their code and wait. */
  readonly begin: (servers: Pick<Servers, 'kafka' | 'mongo'>) => void
  /** Drains and ends both. */
  readonly stop: () => Promise<void>
}

/** There is one process to start again, so nothing is random. */
const pauses = { baseMs: 1_000, capMs: 30_000, jitter: 0 }
const stableAfterMs = 60_000
/** Longer than the longest drain. */
const stopWithinMs = 25_000

/** What the parent does after one of its processes has ended by itself. */
type AfterExit =
  | { readonly do: 'end the bridge' }
  /** `failures`: how many in a row, this one included. */
  | { readonly do: 'start again'; readonly failures: number; readonly pauseMs: number }

type Exit = {
  readonly name: ChildName
  readonly isBySignal: boolean
  /** How long the process has run. */
  readonly ranMs: number
  /** Whether both processes were ready at some time. */
  readonly wereReady: boolean
  /** How often in a row the process has ended before. */
  readonly failures: number
}

/**
 * Without front, nothing answers the service. Back starts again, unless it has ended by itself before it was ever
 * ready: then it would not become ready the next time either.
 */
export const afterExit = ({ name, isBySignal, ranMs, wereReady, failures }: Exit): AfterExit => {
  if (name === 'front' || (!wereReady && !isBySignal)) return { do: 'end the bridge' }
  const inRow = ranMs > stableAfterMs ? 1 : failures + 1
  return { do: 'start again', failures: inRow, pauseMs: backoff(inRow, pauses) }
}

/** Asks a process to end, and kills it if that takes too long. */
const endOf = async (child: ChildProcess, ask: () => void): Promise<void> => {
  const ended = once(child, 'exit')
  ask()
  await settled(ended, stopWithinMs)
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  await ended
}

/**
 * Runs front and back as processes of their own, and back again if it ends. `command` is the file of the command line,
 * `env` their environment, if it is not that of this process.
 */
export const startPair = (command: string, log: Log, env?: NodeJS.ProcessEnv): Pair => {
  const token = randomBytes(32).toString('base64url')
  const running = new Map<ChildName, ChildProcess>()
  const listening = new Map<ChildName, { readonly url: string; readonly adminUrl: string }>()
  const isReady = new Set<ChildName>()
  const ready = Promise.withResolvers<Awaited<Pair['ready']>>()
  const failed = Promise.withResolvers<Failed>()
  const isWaiting = new Set<ChildName>()
  let servers: Pick<Servers, 'kafka' | 'mongo'> | undefined
  let signInLink: string | undefined
  let isStopping = false
  let hasFailed = false
  let failures = 0
  let again: NodeJS.Timeout | undefined

  const send = (name: ChildName, message: FromParent) => {
    const child = running.get(name)
    // A child that has just ended receives nothing; its exit is handled.
    if (child?.connected) child.send(message, () => undefined)
  }
  const introduce = (name: ChildName) => {
    const url = listening.get(name)?.adminUrl
    send(otherChild[name], { do: 'peer', ...(url !== undefined && { url }) })
  }
  const fail = (why: Failed) => {
    hasFailed = true
    ready.resolve(why)
    failed.resolve(why)
  }
  const letBegin = (name: ChildName) => {
    if (servers === undefined || !isWaiting.delete(name)) return
    send(name, { do: 'start', kafka: servers.kafka, mongo: servers.mongo, token })
    introduce(otherChild[name])
  }
  const take = (name: ChildName, message: FromChild) => {
    if (message.is === 'waiting') {
      isWaiting.add(name)
      letBegin(name)
    } else if (message.is === 'listening') {
      listening.set(name, message)
      introduce(name)
    } else if (message.is === 'ready') {
      if (isReady.has('back') && name === 'back') log.info({ process: name }, 'the process runs again')
      isReady.add(name)
      signInLink ??= message.signInLink
      const front = listening.get('front')
      if (front !== undefined && isReady.size === 2) ready.resolve({ ...front, signInLink })
    } else if (name === 'front' || isReady.size < 2) fail(message)
    else log.error({ process: name, reason: message.reason }, 'the process cannot start')
  }
  const start = (name: ChildName) => {
    const began = performance.now()
    const child = fork(command, ['child', name], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      ...(env !== undefined && { env }),
    })
    running.set(name, child)
    child.on('message', (message: FromChild) => take(name, message))
    child.once('exit', (exitCode, signal) => ended(name, exitCode, signal, performance.now() - began))
  }
  const ended = (name: ChildName, exitCode: number | null, signal: NodeJS.Signals | null, ranMs: number) => {
    running.delete(name)
    isWaiting.delete(name)
    listening.delete(name)
    if (isStopping || hasFailed) return
    introduce(name)
    const fields = { process: name, roles: rolesOfChild[name], ...(signal === null ? { exitCode } : { signal }) }
    const next = afterExit({ name, isBySignal: signal !== null, ranMs, wereReady: isReady.size === 2, failures })
    if (next.do === 'end the bridge') {
      log.error(fields, 'a process of the bridge has ended, so the bridge ends')
      return fail({
        reason: `The process with ${rolesOfChild[name].join(' and ')} has ended.`,
        exitCode: exitCode || 1,
      })
    }
    const { pauseMs } = next
    failures = next.failures
    log.error({ ...fields, pauseMs }, 'a process of the bridge has ended and is started again')
    again = setTimeout(() => start(name), pauseMs)
  }
  for (const name of ['front', 'back'] as const) start(name)
  return {
    ready: ready.promise,
    failed: failed.promise,
    begin: (given) => {
      servers = given
      for (const name of [...isWaiting]) letBegin(name)
    },
    stop: async () => {
      isStopping = true
      clearTimeout(again)
      await Promise.all([...running].map(([name, child]) => endOf(child, () => send(name, { do: 'stop' }))))
    },
  }
}
