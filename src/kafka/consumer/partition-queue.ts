import type { IncomingRecord } from '../../ports.ts'
import { bytesOf, slicesOf } from './slices.ts'

/** Records that are handled together; `next` is the offset to read from once they are done. */
export type Piece = { readonly records: ReadonlyArray<IncomingRecord>; readonly next: number }

export type PartitionQueue = {
  readonly add: (records: ReadonlyArray<IncomingRecord>, next: number) => void
  readonly first: () => Piece | undefined
  readonly shift: () => void
  /** Whether nothing more should be fetched: from the bound on, until half of it is left. */
  readonly isFull: () => boolean
}

const slice = { records: 500, bytes: 1024 * 1024 }
// Two slices, so that the next one is there when one is done; kafkajs fetches again within its maximum wait.
const bound = { records: 1_000, bytes: 1024 * 1024 }

/** What was fetched from a partition and is not handled yet, in slices. */
export const partitionQueue = (): PartitionQueue => {
  const pieces: Array<Piece> = []
  let records = 0
  let bytes = 0
  let full = false
  const count = (of: ReadonlyArray<IncomingRecord>, sign: 1 | -1) => {
    records += sign * of.length
    bytes += sign * of.reduce((sum, record) => sum + bytesOf(record), 0)
    const share = Math.max(records / bound.records, bytes / bound.bytes)
    full = full ? share > 0.5 : share >= 1
  }
  return {
    add: (added, next) => {
      // What is not begun goes together: else an outage would leave hundreds of slices of a few records, each with round trips
      // of its own. The first may be begun, and comes again as it is.
      const waiting = pieces.length > 1 ? (pieces.pop()?.records ?? []) : []
      const slices = slicesOf([...waiting, ...added], slice)
      for (const [i, of] of slices.entries()) {
        const isLast = i === slices.length - 1
        pieces.push({ records: of, next: isLast ? next : (of.at(-1)?.offset ?? next - 1) + 1 })
      }
      count(added, 1)
    },
    first: () => pieces[0],
    shift: () => count(pieces.shift()?.records ?? [], -1),
    isFull: () => full,
  }
}
