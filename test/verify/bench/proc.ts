import { readdirSync, readFileSync } from 'node:fs'

// USER_HZ: Linux has 100 on every architecture that Node supports.
const ticksPerSecond = 100
const pageBytes = 4096

type Process = { readonly pid: number; readonly parent: number; readonly cpu: number; readonly rss: number }

const read = (pid: number): Process | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name before the last ')' may contain anything; the fields from the 3rd on follow it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const field = (number: number) => Number(fields[number - 3])
    return {
      pid,
      parent: field(4),
      cpu: (field(14) + field(15)) / ticksPerSecond,
      rss: field(24) * pageBytes,
    }
  } catch {
    return undefined
  }
}

const all = (): ReadonlyArray<Process> =>
  readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (read(Number(name)) ?? []) : []))

/** A process and all its descendants, with their figures. */
export const family = (...pids: ReadonlyArray<number>): ReadonlyArray<Process> => {
  const byParent = Map.groupBy(all(), ({ parent }) => parent)
  const withChildren = (pid: number): ReadonlyArray<Process> => {
    const own = read(pid)
    const children = byParent.get(pid) ?? []
    return [...(own ? [own] : []), ...children.flatMap((child) => withChildren(child.pid))]
  }
  return pids.flatMap(withChildren)
}

/** CPU seconds, of user and system, that the processes and all their descendants have used. */
export const cpuSeconds = (...pids: ReadonlyArray<number>): number =>
  family(...pids).reduce((sum, { cpu }) => sum + cpu, 0)

/** Resident memory in MB. */
export const residentMb = (...pids: ReadonlyArray<number>): number =>
  family(...pids).reduce((sum, { rss }) => sum + rss, 0) / 1e6

const proportionalBytes = (pid: number): number => {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) * 1024
  } catch {
    return 0
  }
}

/** Memory in MB, where pages that several processes share count once. */
export const proportionalMb = (...pids: ReadonlyArray<number>): number =>
  pids.reduce((sum, pid) => sum + proportionalBytes(pid), 0) / 1e6

/** The arguments with which a process was started, the program first. */
export const commandLine = (pid: number): ReadonlyArray<string> => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1)
  } catch {
    return []
  }
}
