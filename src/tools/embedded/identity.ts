import { readFile } from 'node:fs/promises'
import * as t from 'io-ts'

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
