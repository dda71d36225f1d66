import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The processes of a group, as the system lists them, without those that have ended and wait to be collected. */
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
