import type { IncomingRecord } from '../../domain/ports.ts'
import { bytesOf, slicesOf } from '../../shared/slices.ts'

/** Records that are handled together; `next` is the offset to read from once they are done. */
export type Piece = { readonly records: ReadonlyArray<IncomingRecord>; readonly next: number }

export type PartitionQueue = {
  readonly add: (records: ReadonlyArray<IncomingRecord>, next: number) => void
  readonly first: () => Piece | undefined
  /** The first, which stays as it is from now on. */
  readonly begin: () => Piece | undefined
  readonly shift: () => void
  /** Whether nothing more should be fetched: from the bound on, until half of it is left. */
  readonly isFull: () => boolean
  readonly records: () => number
  /** Whether it may fill up with a whole deep slice. */
  readonly deepen: (isDeep: boolean) => void
}

const slice = { records: 500, bytes: 1024 * 1024 }
// Two slices, so that the next one is there when one is done; kafkajs fetches again within its maximum wait.
const bound = { records: 1_000, bytes: 1024 * 1024 }
const sized = (records: number) => ({ records, bytes: 1_400 * records })

/** What was fetched from a partition and is not handled yet, in slices of 500 records, or in deep ones of that many. */
export const partitionQueue = (deepRecords?: number): PartitionQueue => {
  const deepSlice = deepRecords === undefined ? slice : sized(deepRecords)
  // With what the last fetch adds to it, a slice.
  const deepBound = sized(Math.max(bound.records, deepSlice.records - 1_000))
  const pieces: Array<Piece> = []
  let records = 0
  let bytes = 0
  let full = false
  let begun = false
  let bounds = bound
  const fill = () => {
    const share = Math.max(records / bounds.records, bytes / bounds.bytes)
    full = full ? share > 0.5 : share >= 1
  }
  const count = (of: ReadonlyArray<IncomingRecord>, sign: 1 | -1) => {
    records += sign * of.length
    bytes += sign * of.reduce((sum, record) => sum + bytesOf(record), 0)
    fill()
  }
  return {
    add: (added, next) => {
      // What is not begun goes together: else an outage would leave hundreds of slices of a few records, each with round trips
      // of its own. The first may be begun, and comes again as it is.
      const kept = deepRecords !== undefined && !begun ? 0 : 1
      const waiting = pieces.length > kept ? (pieces.pop()?.records ?? []) : []
      const slices = slicesOf([...waiting, ...added], deepSlice)
      for (const [i, of] of slices.entries()) {
        const isLast = i === slices.length - 1
        pieces.push({ records: of, next: isLast ? next : (of.at(-1)?.offset ?? next - 1) + 1 })
      }
      count(added, 1)
    },
    first: () => pieces[0],
    begin: () => {
      begun = true
      return pieces[0]
    },
    shift: () => {
      begun = false
      count(pieces.shift()?.records ?? [], -1)
    },
    isFull: () => full,
    records: () => records,
    deepen: (isDeep) => {
      bounds = isDeep ? deepBound : bound
      full = false
      fill()
    },
  }
}
