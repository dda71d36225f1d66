// Preloaded into the tests. On the runner's SIGUSR2 it prints what keeps the process alive, and ends the process.
import { ChildProcess } from 'node:child_process'
import { Server, Socket } from 'node:net'
import { onlyTimers } from './outcome.ts'

const { KAFKA_BROKERS = '', MONGODB_URL = '' } = process.env
const serverAt = (port: number | undefined): string => {
  if (KAFKA_BROKERS.split(',').some((broker) => broker.endsWith(`:${port}`))) return ' (Kafka)'
  return MONGODB_URL.includes(`:${port}/`) ? ' (MongoDB)' : ''
}

const described = (handle: unknown): string => {
  if (handle instanceof ChildProcess) return `process ${handle.pid}: ${handle.spawnargs.join(' ')}`
  if (handle instanceof Server) return `server at ${JSON.stringify(handle.address())}`
  if (handle instanceof Socket)
    return `socket ${handle.localAddress}:${handle.localPort} to ${handle.remoteAddress}:${handle.remotePort}${serverAt(handle.remotePort)}`
  return String(Object(handle).constructor?.name)
}

// Node shows the handles themselves in no other way.
const handles = (): ReadonlyArray<unknown> => Reflect.get(process, '_getActiveHandles').call(process)

type Timer = { readonly timer: NodeJS.Timeout; readonly ms: number | undefined; readonly where: string }
const timers = new Set<Timer>()

/** Node does not say which timers are left, so each is noted with the line that makes it. */
const noting = <Make extends typeof setTimeout | typeof setInterval>(make: Make): Make =>
  Object.assign((run: () => void, ms?: number, ...args: ReadonlyArray<unknown>) => {
    const timer = Reflect.apply(make, undefined, [run, ms, ...args])
    const { stack = '' } = new Error('a timer')
    timers.add({ timer, ms, where: stack.split('\n').slice(2, 5).join(' <') })
    if (timers.size > 2_000) for (const each of timers) if (isOver(each)) timers.delete(each)
    return timer
  }, make) as Make
const isOver = ({ timer }: Timer): boolean => Reflect.get(timer, '_destroyed') === true || !timer.hasRef()
globalThis.setTimeout = noting(setTimeout)
globalThis.setInterval = noting(setInterval)

process.on('SIGUSR2', () => {
  const left = [...timers].filter((each) => !isOver(each))
  // The process's own pipes have no address.
  const open = handles().filter((handle) => !(handle instanceof Socket && handle.remotePort === undefined))
  const named = [...open.map(described), ...left.map(({ ms, where }) => `timer of ${ms} ms${where}`)]
  if (open.length === 0) console.error(onlyTimers)
  const others = Object.entries(Object.groupBy(process.getActiveResourcesInfo(), (name) => name))
  console.error(['left open:', ...named, ...others.map(([name, all = []]) => `${all.length} ${name}`)].join('\n  '))
  process.exit(1)
})

// Only Node's own clean-up would follow, which was seen to loop without end (node::Environment::CleanupHandles).
process.on('beforeExit', () => {
  // The process exits only after all other listeners have finished.
  if (process.listenerCount('beforeExit') === 1) process.exit()
})
