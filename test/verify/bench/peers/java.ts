import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'

/** A peer in Java in its own process; its output goes to a file among the bench's data. */
export const startJava = (bench: Bench, name: string, args: ReadonlyArray<string>, cwd = bench.dataDir) => {
  const log = openSync(join(bench.dataDir, `${name}.log`), 'a')
  const child = spawn('java', [...args], { cwd, stdio: ['ignore', log, log] })
  closeSync(log)
  const killWithParent = () => child.kill('SIGKILL')
  process.once('exit', killWithParent)
  child.once('exit', () => process.off('exit', killWithParent))
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  const stop = async () => {
    if (isOver()) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    const patience = setTimeout(() => child.kill('SIGKILL'), 10_000)
    await ended
    clearTimeout(patience)
  }
  bench.afterwards(stop)
  return { pid: child.pid ?? 0, isOver, stop }
}
