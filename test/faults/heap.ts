import { eventually } from '../support/eventually.ts'
import type { BridgeProcess } from './bridge-process.ts'

/** The environment of a bridge whose heap is to be asked for: its inspector, once it listens, takes any free port. */
export const inspectable = { NODE_OPTIONS: '--inspect-port=0' }

/** Asks the inspector of a process: several commands in turn, the result of the last. */
const ask = async (url: string, commands: ReadonlyArray<{ readonly method: string; readonly params?: object }>) => {
  const socket = new WebSocket(url)
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  socket.onerror = () => reject(new Error('the inspector does not answer'))
  socket.onopen = () => {
    for (const [id, command] of commands.entries()) socket.send(JSON.stringify({ id, ...command }))
  }
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(String(data))
    if (id === commands.length - 1) resolve(result.result.value)
  }
  try {
    return await promise
  } finally {
    socket.close()
  }
}

/** The heap of a bridge in bytes after all garbage was collected: what it really holds. */
export const heapOf = async (bridge: BridgeProcess): Promise<number> => {
  bridge.signal('SIGUSR1')
  const url = await eventually('the inspector', () => /Debugger listening on (ws:\S+)/.exec(bridge.log())?.[1])
  return Number(
    await ask(url, [
      { method: 'HeapProfiler.collectGarbage' },
      { method: 'Runtime.evaluate', params: { expression: 'process.memoryUsage().heapUsed' } },
    ]),
  )
}
