import { setTimeout as wait } from 'node:timers/promises'
import { residentMb } from './proc.ts'

export type Look = { readonly at: number; readonly done: number; readonly memoryMb: number }

const standstillMs = 90_000

/** Observes a count until it reaches a value, in seconds since the first look. */
export const follow = async (
  until: number,
  read: () => Promise<number | undefined>,
  pids: ReadonlyArray<number>,
  everyMs = 200,
): Promise<ReadonlyArray<Look>> => {
  const began = performance.now()
  const looks: Look[] = [{ at: 0, done: 0, memoryMb: residentMb(...pids) }]
  let changedAt = began
  for (let done = 0; done < until; await wait(everyMs)) {
    const now = (await read()) ?? 0
    if (now !== done) changedAt = performance.now()
    if (performance.now() - changedAt > standstillMs) throw new Error(`it stands still at ${now} of ${until}`)
    done = now
    looks.push({ at: (performance.now() - began) / 1000, done, memoryMb: residentMb(...pids) })
  }
  return looks
}

/** The rate per second from the last look at or below the first count to the first look with the second count. */
export const rateBetween = (looks: ReadonlyArray<Look>, from: number, to: number): number => {
  const first = looks.findLast(({ done }) => done <= from)
  const last = looks.find(({ done }) => done >= to)
  if (first === undefined || last === undefined) return Number.NaN
  return (last.done - first.done) / (last.at - first.at)
}

/** Rate and memory over time, in about this many steps. */
export const overTime = (looks: ReadonlyArray<Look>, steps = 40) => {
  const size = Math.max(1, Math.ceil(looks.length / steps))
  const some = looks.filter((_, i) => i % size === 0 || i === looks.length - 1)
  return {
    rate: some.slice(1).flatMap((look, i) => {
      const before = some[i]
      if (before === undefined || look.at === before.at) return []
      return [[look.at, (look.done - before.done) / (look.at - before.at)] as const]
    }),
    memory: some.map(({ at, memoryMb }) => [at, memoryMb] as const),
  }
}
