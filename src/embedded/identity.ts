import { readFile } from 'node:fs/promises'
import * as t from 'io-ts'

/** A process that is not mistaken for a later one with its number: `startedAt` is in clock ticks since boot. */
export const Identity = t.type({ pid: t.Integer, startedAt: t.string }, 'Identity')
export type Identity = t.TypeOf<typeof Identity>

/** The process's identity, or undefined when it has ended or the system (not Linux) does not tell. */
export const identify = async (pid: number): Promise<Identity | undefined> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The name before the last ')' may hold anything; the state is the 3rd field and the start time the 22nd.
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
  const startedAt = fields[18]
  return startedAt === undefined || state === 'Z' ? undefined : { pid, startedAt }
}

export const isRunning = async ({ pid, startedAt }: Identity): Promise<boolean> =>
  (await identify(pid))?.startedAt === startedAt
