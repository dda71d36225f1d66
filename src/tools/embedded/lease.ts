import { readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Problem, problem } from './problem.ts'

/** Identifies a process even if a later process has the same pid. `startedAt` is in clock ticks since boot. */
export const Identity = t.type({ pid: t.Integer, startedAt: t.string }, 'Identity')
export type Identity = t.TypeOf<typeof Identity>

/** The identity of the process. Undefined if the process has ended or the system is not Linux. */
export const identify = async (pid: number): Promise<Identity | undefined> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The name before the last ')' may contain any character. The state is the 3rd field, the start time the 22nd.
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
  const startedAt = fields[18]
  return startedAt === undefined || state === 'Z' ? undefined : { pid, startedAt }
}

export const isRunning = async ({ pid, startedAt }: Identity): Promise<boolean> =>
  (await identify(pid))?.startedAt === startedAt

/** Which bridge runs the server: a file in the server's directory under DATA_DIR. */
const Lease = t.type({ bridge: Identity, server: Identity }, 'Lease')
type Lease = t.TypeOf<typeof Lease>

const read = async (file: string): Promise<Lease | undefined> => {
  try {
    const lease = Lease.decode(JSON.parse(await readFile(file, 'utf8')))
    return E.isRight(lease) ? lease.right : undefined
  } catch {
    return undefined
  }
}

const end = async (server: Identity, withinMs: number): Promise<void> => {
  const deadline = Date.now() + withinMs
  while (Date.now() < deadline && (await isRunning(server))) await sleep(50)
  if (await isRunning(server)) process.kill(-server.pid, 'SIGKILL')
}

/**
 * Makes sure that no server runs on the directory of `file`. Left if another running bridge uses the directory. If the
 * bridge was killed, its guard already stops the server. The server has `withinMs` to end and is then killed.
 */
export const claim = async (file: string, withinMs = 20_000): Promise<E.Either<Problem, void>> => {
  const lease = await read(file)
  if (lease === undefined || !(await isRunning(lease.server))) return E.right(undefined)
  if (await isRunning(lease.bridge)) {
    return problem(
      `${dirname(dirname(file))} is in use by another running bridge (process ${lease.bridge.pid}): stop that one, or set DATA_DIR to another directory`,
    )
  }
  await end(lease.server, withinMs)
  return E.right(undefined)
}

/** Writes the lease: this process runs the server with the process group `pid`. */
export const hold = async (file: string, pid: number): Promise<void> => {
  const [bridge, server] = await Promise.all([identify(process.pid), identify(pid)])
  if (bridge !== undefined && server !== undefined) await writeFile(file, JSON.stringify({ bridge, server }))
}

export const release = (file: string): Promise<void> => rm(file, { force: true })
