// Preloaded into the tests: asked by the runner, it says what keeps the process from ending, and ends it.
import { ChildProcess } from 'node:child_process'
import { Server, Socket } from 'node:net'

const described = (handle: unknown): string => {
  if (handle instanceof ChildProcess) return `process ${handle.pid}: ${handle.spawnargs.join(' ')}`
  if (handle instanceof Server) return `server at ${JSON.stringify(handle.address())}`
  if (handle instanceof Socket)
    return `socket ${handle.localAddress}:${handle.localPort} to ${handle.remoteAddress}:${handle.remotePort}`
  return String(Object(handle).constructor?.name)
}

// Node shows the handles themselves nowhere else.
const handles = (): ReadonlyArray<unknown> => Reflect.get(process, '_getActiveHandles').call(process)

process.on('SIGUSR2', () => {
  const named = handles().map(described)
  const others = Object.entries(Object.groupBy(process.getActiveResourcesInfo(), (name) => name))
  console.error(['left open:', ...named, ...others.map(([name, all = []]) => `${all.length} ${name}`)].join('\n  '))
  process.exit(1)
})

// All is done, and what would follow is Node's own clean-up, which was seen to loop for ever (node::Environment::CleanupHandles).
process.on('beforeExit', () => {
  // What others still do then comes first.
  if (process.listenerCount('beforeExit') === 1) process.exit()
})
