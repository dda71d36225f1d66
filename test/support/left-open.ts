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

process.on('SIGUSR2', () => {
  const named = handles().map(described)
  const others = Object.entries(Object.groupBy(process.getActiveResourcesInfo(), (name) => name))
  console.error(['left open:', ...named, ...others.map(([name, all = []]) => `${all.length} ${name}`)].join('\n  '))
  process.exit(1)
})

// Only Node's own clean-up would follow, which was seen to loop without end (node::Environment::CleanupHandles).
process.on('beforeExit', () => {
  // The process exits only after all other listeners have finished.
  if (process.listenerCount('beforeExit') === 1) process.exit()
})
