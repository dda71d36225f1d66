import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { BridgeProcess } from '../../support/bridge-process.ts'
import { eventually } from '../../support/eventually.ts'

/** The environment of a bridge whose heap a test reads: its inspector uses any free port once it listens. */
export const inspectable = { NODE_OPTIONS: '--inspect-port=0' }

const collect = { id: 1, method: 'HeapProfiler.collectGarbage' }
const measure = {
  id: 2,
  method: 'Runtime.evaluate',
  params: { expression: 'process.memoryUsage().heapUsed' },
}

/** Reads the heap size of a process in bytes through its inspector, after a garbage collection. */
const heapOf = async (url: string): Promise<number> => {
  const socket = new WebSocket(url)
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  socket.onerror = () => reject(new Error('the inspector does not answer'))
  socket.onopen = () => {
    for (const command of [collect, measure]) socket.send(JSON.stringify(command))
  }
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(String(data))
    if (id === measure.id) resolve(result.result.value)
  }
  try {
    return await promise
  } finally {
    socket.close()
  }
}

/**
 * The heap of a bridge in bytes, without garbage. It is the smallest value of some seconds, since work in progress also
 * takes memory.
 */
export const quietHeapOf = async (bridge: BridgeProcess): Promise<number> => {
  bridge.signal('SIGUSR1')
  const url = await eventually('the inspector', () => /Debugger listening on (ws:\S+)/.exec(bridge.log())?.[1])
  const heaps: number[] = []
  for (let i = 0; i < 4; i++) {
    heaps.push(await heapOf(url))
    await wait(500)
  }
  return Math.min(...heaps)
}

/** The resident memory of a process as Linux reports it: now, and its maximum since the start or since `forgetPeak`. */
export const memoryOf = (pid: number) => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const mib = (field: string) => Math.round(Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024)
  return {
    nowMib: mib('VmRSS'),
    peakMib: mib('VmHWM'),
    forgetPeak: () => writeFileSync(`/proc/${pid}/clear_refs`, '5'),
  }
}
