import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Role } from '../../src/bridge/domain/roles.ts'
import { anyFree } from '../../src/tools/embedded/port.ts'
import type { Defence } from '../verify/faults/defences.ts'
import type { Held } from '../verify/faults/held.ts'
import { eventually } from './eventually.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export type BridgeOptions = {
  /** Empty: all roles, in front and back, as `npm start` runs them. */
  readonly roles: ReadonlyArray<Role>
  readonly port: number
  /** Default: any free port. */
  readonly adminPort?: number
  readonly dataDir: string
  readonly env: Readonly<Record<string, string>>
  /** The defence that a negative control lacks. */
  readonly without?: Defence | undefined
  /** `nodeArgs` are for Node. `startArgs` follow the roles of `start`. */
  readonly nodeArgs?: ReadonlyArray<string>
  readonly startArgs?: ReadonlyArray<string>
  /** The limit of open files and connections (`ulimit -n`). */
  readonly mostDescriptors?: number | undefined
  /** Another checkout to compare with. The command of that checkout runs instead. */
  readonly checkout?: string | undefined
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )

/** The path of a checkout's command, from its package.json. */
const commandOf = (checkout: string): string =>
  join(checkout, JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')).bin['livechat-bridge'])

process.setMaxListeners(100)

// On a busy machine several bridges may start at once.
const startsWithinMs = 120_000

/** Starts the bridge as a separate process, as in production. Resolves when its HTTP server responds. */
export const startBridgeProcess = async (options: BridgeOptions) => {
  const { roles, port, dataDir, env, without, nodeArgs = [], startArgs = [], checkout, mostDescriptors } = options
  const url = `http://127.0.0.1:${port}`
  const adminPort = options.adminPort ?? (await anyFree())
  const logFile = join(dataDir, `bridge-${port}.log`)
  const weaken = without === undefined ? [] : ['--import', join(root, 'test/verify/faults/weaken.ts')]
  const preloaded = [
    ...weaken,
    '--no-memory-reducer',
    '--max-semi-space-size=16',
    '--trace-warnings',
    '--import',
    join(root, 'test/verify/faults/probe.ts'),
  ]
  const heldFile = join(dataDir, `held-${port}.json`)
  const output = openSync(logFile, 'a')
  const { PATH, HOME } = process.env
  const start = ['start', ...(roles.length === 0 ? [] : ['--role', roles.join(',')]), ...startArgs]
  const [command, args] =
    checkout === undefined
      ? [process.execPath, [...preloaded, ...nodeArgs, 'src/app/cli.ts', ...start]]
      : ['sh', [commandOf(checkout), ...start]]
  const limit = mostDescriptors === undefined ? '' : `ulimit -n ${mostDescriptors}; `
  const child = spawn('sh', ['-c', `${limit}exec "$0" "$@"`, command, ...args], {
    cwd: checkout ?? root,
    env: {
      PATH,
      HOME,
      // As the launcher sets it.
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile'),
      ...env,
      DATA_DIR: dataDir,
      HTTP_PORT: String(port),
      ADMIN_PORT: String(adminPort),
      FAULTS_PROBE: heldFile,
      ...(without && { FAULTS_WITHOUT: without }),
    },
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  const killWithParent = () => child.kill('SIGKILL')
  process.once('exit', killWithParent)
  const ended = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as string | null,
  }))
  ended.then(() => process.off('exit', killWithParent))
  const log = () => readFileSync(logFile, 'utf8')
  let isSignalled = false
  const signal = (name: NodeJS.Signals) => {
    isSignalled = true
    return child.kill(name)
  }
  const kill = async (name: NodeJS.Signals) => {
    signal(name)
    return ended
  }
  // A test may notice much later, and without the reason.
  ended.then(({ code }) => {
    if (!isSignalled && code !== 0) console.error(`the bridge at ${url} ended by itself: ${log().slice(-2000)}`)
  })
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  await eventually(
    `${url} to be up`,
    async () => {
      if (isOver()) {
        const { exitCode } = child
        throw Object.assign(new Error(`the bridge ended while it started: ${log().slice(-2000)}`), { exitCode })
      }
      return (await answers(`${url}/livez`)) || undefined
    },
    startsWithinMs,
  ).catch(async (error: unknown) => {
    if (!isOver()) await kill('SIGKILL')
    throw error
  })
  // Old checkouts serve all routes on one port.
  const adminUrl = `http://127.0.0.1:${adminPort}`
  const operatorsUrl = (await answers(`${adminUrl}/livez`)) ? adminUrl : url
  const text = (path: string) =>
    fetch(operatorsUrl + path, { signal: AbortSignal.timeout(5_000) }).then((answer) => answer.text())
  return {
    url,
    adminUrl: operatorsUrl,
    pid: child.pid ?? 0,
    log,
    isOver,
    ended,
    /** Sends the signal and waits until the process has ended. */
    kill,
    signal,
    /** The process's memory and resources now. */
    held: async (): Promise<Held> => {
      rmSync(heldFile, { force: true })
      child.kill('SIGUSR2')
      return eventually('what the bridge holds', async () => {
        if (!existsSync(heldFile)) return undefined
        return JSON.parse(readFileSync(heldFile, 'utf8')) as Held
      })
    },
    isReady: () => answers(`${operatorsUrl}/readyz`),
    readiness: () => text('/readyz'),
    /** The sum of a metric over its labels; undefined if the bridge does not expose it. */
    metric: async (name: string): Promise<number | undefined> => {
      const lines = (await text('/metrics').catch(() => ''))
        .split('\n')
        .filter((line) => line.split(/[ {]/)[0] === name)
      return lines.length === 0 ? undefined : lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    },
  }
}
export type BridgeProcess = Awaited<ReturnType<typeof startBridgeProcess>>
