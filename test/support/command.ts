import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export const command = fileURLToPath(new URL('../../src/app/livechat-bridge', import.meta.url))

export type Ran = { readonly code: number | null; readonly out: string; readonly err: string }

/** Runs the command line to its end, as a user does. `env` is added to this process's environment. */
export const runCommand = async (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv, cwd?: string): Promise<Ran> => {
  // Node warns on stderr if both FORCE_COLOR and NO_COLOR are set, and tests may run with NO_COLOR.
  const { FORCE_COLOR, ...inherited } = process.env
  const child = spawn('sh', [command, ...args], {
    env: { ...inherited, ...env },
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const text = { out: '', err: '' }
  child.stdout.on('data', (chunk: Buffer) => (text.out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (text.err += chunk.toString()))
  const [code] = await once(child, 'close')
  return { code, ...text }
}
