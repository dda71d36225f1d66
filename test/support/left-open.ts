// Preloaded into the tests. On the runner's SIGUSR2 it prints what keeps the process alive, and ends the process.
import { ChildProcess } from 'node:child_process'
import { Server, Socket } from 'node:net'

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

type Timer = { readonly timer: NodeJS.Timeout; readonly ms: number | undefined; readonly made: Error }
const timers = new Set<Timer>()

/** Node does not say which timers are left, so each is noted with the line that makes it. */
const noting = <Make extends typeof setTimeout | typeof setInterval>(make: Make): Make =>
  Object.assign((run: () => void, ms?: number, ...args: ReadonlyArray<unknown>) => {
    const timer = Reflect.apply(make, undefined, [run, ms, ...args])
    timers.add({ timer, ms, made: new Error('a timer') })
    if (timers.size > 2_000) for (const each of timers) if (isOver(each)) timers.delete(each)
    return timer
  }, make) as Make
const placeOf = ({ made }: Timer): string => (made.stack ?? '').split('\n').slice(2, 5).join(' <')
const isOver = ({ timer }: Timer): boolean => Reflect.get(timer, '_destroyed') === true || !timer.hasRef()
globalThis.setTimeout = noting(setTimeout)
globalThis.setInterval = noting(setInterval)

process.on('SIGUSR2', () => {
  const left = [...timers].filter((each) => !isOver(each))
  const open = handles().filter((handle) => handle !== process.stdout && handle !== process.stderr)
  const named = [...open.map(described), ...left.map((each) => `timer of ${each.ms} ms${placeOf(each)}`)]
  const others = Object.entries(Object.groupBy(process.getActiveResourcesInfo(), (name) => name))
  console.error(['left open:', ...named, ...others.map(([name, all = []]) => `${all.length} ${name}`)].join('\n  '))
  process.exit(1)
})

// Only Node's own clean-up would follow, which was seen to loop without end (node::Environment::CleanupHandles).
process.on('beforeExit', () => {
  // The process exits only after all other listeners have finished.
  if (process.listenerCount('beforeExit') === 1) process.exit()
})
