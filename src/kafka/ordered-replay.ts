import type { IncomingRecord, Slice } from '../domain/ports.ts'
import type { Range } from './offsets.ts'

export type OrderedReplay = {
  /** Takes a slice of any partition at any time, and again; resolves when it has been read, or never will be. */
  readonly take: (slice: Slice) => Promise<void>
  /** The offset that a partition is to be read from next; undefined where it is not read. */
  readonly position: (partition: number) => number | undefined
  /** Resolves when all is read, or it was ended and nothing is being read any more; rejects with what reading has thrown. */
  readonly over: Promise<void>
  readonly end: () => void
}

/** Reads parts of partitions to their ends, one partition after the other, so that every run reads in the same order. */
export const orderedReplay = (
  parts: ReadonlyMap<number, Range>,
  read: (records: ReadonlyArray<IncomingRecord>) => Promise<void>,
): OrderedReplay => {
  const { promise: over, resolve, reject } = Promise.withResolvers<void>()
  const order = [...parts.keys()].sort((a, b) => a - b)
  const position = new Map([...parts].map(([partition, { low }]) => [partition, low]))
  const turns = new Map(order.map((partition) => [partition, Promise.withResolvers<void>()]))
  let ended = false
  let running = Promise.resolve()

  const end = () => {
    ended = true
    for (const turn of turns.values()) turn.resolve()
    running.then(resolve, reject)
  }
  const giveTurn = () => {
    const next = order.find((partition) => (position.get(partition) ?? 0) < (parts.get(partition)?.high ?? 0))
    if (next === undefined) end()
    else turns.get(next)?.resolve()
  }
  giveTurn()

  return {
    take: async ({ partition, records }) => {
      await turns.get(partition)?.promise
      const from = position.get(partition)
      const last = records.at(-1)
      if (ended || from === undefined || last === undefined) return
      const fresh = records.filter(({ offset }) => offset >= from && offset < (parts.get(partition)?.high ?? 0))
      if (fresh.length > 0) running = read(fresh)
      await running.catch(end)
      position.set(partition, Math.max(from, last.offset + 1))
      giveTurn()
    },
    position: (partition) => position.get(partition),
    over,
    end,
  }
}
