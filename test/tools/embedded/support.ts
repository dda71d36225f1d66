import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The running processes of a group, from the system's list. Ended processes that wait to be collected are left out. */
export const processesOf = async (group: number): Promise<ReadonlyArray<number>> => {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0)
  const members = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
      const [state, , pgrp] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return state !== 'Z' && Number(pgrp) === group ? [pid] : []
    }),
  )
  return members.flat()
}

/** The process group of the server that runs on `dataDir/name`. */
export const groupOf = async (dataDir: string, name: 'kafka' | 'mongod'): Promise<number> =>
  JSON.parse(await readFile(join(dataDir, name, 'lease.json'), 'utf8')).server.pid
