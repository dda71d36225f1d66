import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setInterval as every } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Bench } from './bench.ts'
import type { Look } from './follow.ts'
import { cpuSeconds, residentMb } from './proc.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export type Rebuilt = {
  readonly rate: number
  readonly cpu: number
  readonly memoryMb: number
  readonly seconds: number
  readonly records: number
  /** The progress from the command's own lines, and the memory at those times. */
  readonly looks: ReadonlyArray<Look>
}

const countOf = (text: string | undefined) => Number(text?.replaceAll(',', ''))

/** Runs `rebuild VIEW` to its end, and reads the progress that it prints. */
export const rebuildOnce = async (
  bench: Bench,
  { env }: { readonly env: Readonly<Record<string, string>> },
  view: string,
): Promise<Rebuilt> => {
  const { PATH, HOME } = process.env
  const began = performance.now()
  const child = spawn(process.execPath, ['src/app/cli.ts', 'rebuild', view], {
    cwd: root,
    env: { PATH, HOME, ...env, DATA_DIR: bench.dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  bench.afterwards(async () => void child.kill('SIGKILL'))
  const pid = child.pid ?? 0
  const looks: Look[] = []
  let output = ''
  let [cpu, peak] = [0, 0]
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  createInterface({ input: child.stdout }).on('line', (line) => {
    output += `${line}\n`
    const [, done] = /^replaying +([\d,]+) of [\d,]+ records/.exec(line) ?? []
    if (done === undefined) return
    looks.push({ at: (performance.now() - began) / 1000, done: countOf(done), memoryMb: residentMb(pid) })
  })
  const watching = new AbortController()
  const watch = async () => {
    for await (const _ of every(500, undefined, { signal: watching.signal })) {
      cpu = Math.max(cpu, cpuSeconds(pid))
      peak = Math.max(peak, residentMb(pid))
    }
  }
  const watched = watch().catch(() => {})
  const [code] = await ended
  watching.abort()
  await watched
  const [first, last] = [looks[0], looks.at(-1)]
  if (code !== 0 || first === undefined || last === undefined) throw new Error(`the rebuild failed: ${output}`)
  return {
    rate: (last.done - first.done) / (last.at - first.at),
    cpu: (cpu * 1e6) / last.done,
    memoryMb: peak,
    seconds: (performance.now() - began) / 1000,
    records: last.done,
    looks,
  }
}
