import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import type { BridgeProcess } from './bridge-process.ts'

/** The environment of a bridge whose heap is to be asked for: its inspector, once it listens, takes any free port. */
export const inspectable = { NODE_OPTIONS: '--inspect-port=0' }

const collect = { id: 1, method: 'HeapProfiler.collectGarbage' }
const measure = {
  id: 2,
  method: 'Runtime.evaluate',
  params: { expression: 'process.memoryUsage().heapUsed' },
}
const attach = { id: 3, method: 'NodeWorker.enable', params: { waitForDebuggerOnStart: false } }
const toThread = (sessionId: string, message: object) => ({
  id: 4,
  method: 'NodeWorker.sendMessageToWorker',
  params: { sessionId, message: JSON.stringify(message) },
})

/** Asks the inspector of a process for its heap and those of its threads, in bytes, each after its garbage was collected. */
const heapsOf = async (url: string, threads: number): Promise<ReadonlyArray<number>> => {
  const socket = new WebSocket(url)
  const say = (message: object) => socket.send(JSON.stringify(message))
  const heaps: number[] = []
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const hear = ({ id, result }: { readonly id?: number; readonly result?: { result: { value: number } } }) => {
    if (id === measure.id && result !== undefined) heaps.push(result.result.value)
    if (heaps.length === 1 + threads) resolve()
  }
  socket.onerror = () => reject(new Error('the inspector does not answer'))
  socket.onopen = () => [collect, measure, attach].forEach(say)
  socket.onmessage = ({ data }) => {
    const { method, params, ...answer } = JSON.parse(String(data))
    if (method === 'NodeWorker.attachedToWorker')
      for (const command of [collect, measure]) say(toThread(params.sessionId, command))
    hear(method === 'NodeWorker.receivedMessageFromWorker' ? JSON.parse(params.message) : answer)
  }
  try {
    await promise
  } finally {
    socket.close()
  }
  return heaps
}

/**
 * The heap of a bridge and of the thread that serves its HTTP, in bytes, without garbage: what it really holds. The least of some
 * seconds, since what is just being worked on is held, too.
 */
export const quietHeapOf = async (bridge: BridgeProcess): Promise<number> => {
  bridge.signal('SIGUSR1')
  const url = await eventually('the inspector', () => /Debugger listening on (ws:\S+)/.exec(bridge.log())?.[1])
  const sums: number[] = []
  for (let i = 0; i < 4; i++) {
    sums.push((await heapsOf(url, 1)).reduce((sum, heap) => sum + heap, 0))
    await wait(500)
  }
  return Math.min(...sums)
}
