import type { IncomingRecord, Sleep } from '../../domain/ports.ts'
import type { Acquire, Permit } from '../../shared/semaphore.ts'
import { bytesOf, slicesOf } from '../../shared/slices.ts'

/** Records that are handled together; `next` is the offset to read from once they are handled. */
export type BufferedSlice = { readonly records: ReadonlyArray<IncomingRecord>; readonly next: number }

type FetchBuffer = {
  readonly add: (records: ReadonlyArray<IncomingRecord>, next: number) => void
  readonly first: () => BufferedSlice | undefined
  /** The first slice; nothing is added to it from now on. */
  readonly begin: () => BufferedSlice | undefined
  /** Removes the first slice. */
  readonly shift: () => void
  /** Whether fetching shall pause: from the limit on, until half of it is left. */
  readonly isFull: () => boolean
  readonly records: () => number
  /** While it catches up, it may hold a whole catch-up slice. */
  readonly setCatchUp: (isCatchingUp: boolean) => void
}

const usualSlice = { records: 500, bytes: 1024 * 1024 }
// Two slices: the next one is there when one is handled. kafkajs fetches again within its maximum wait.
const usualLimit = { records: 1_000, bytes: 1024 * 1024 }
const sized = (records: number) => ({ records, bytes: 1_400 * records })

/** What was fetched from a partition and is not handled yet, in slices of 500 records, or of up to `catchUpRecords`. */
export const fetchBuffer = (catchUpRecords?: number): FetchBuffer => {
  const largestSlice = catchUpRecords === undefined ? usualSlice : sized(catchUpRecords)
  // One more fetch may be added after the limit is reached.
  const catchUpLimit = sized(Math.max(usualLimit.records, largestSlice.records - 1_000))
  const slices: Array<BufferedSlice> = []
  let records = 0
  let bytes = 0
  let isFull = false
  let isBegun = false
  let limit = usualLimit
  const checkLimit = () => {
    const share = Math.max(records / limit.records, bytes / limit.bytes)
    isFull = isFull ? share > 0.5 : share >= 1
  }
  const count = (of: ReadonlyArray<IncomingRecord>, sign: 1 | -1) => {
    records += sign * of.length
    bytes += sign * of.reduce((sum, record) => sum + bytesOf(record), 0)
    checkLimit()
  }
  return {
    add: (added, next) => {
      // Small fetches are joined: after an outage there would be hundreds of small slices, each with its own round trips.
      // Only the first slice may have begun, and it must not change then.
      const unchanged = catchUpRecords !== undefined && !isBegun ? 0 : 1
      const last = slices.length > unchanged ? (slices.pop()?.records ?? []) : []
      const joined = slicesOf([...last, ...added], largestSlice)
      for (const [i, of] of joined.entries()) {
        const isLast = i === joined.length - 1
        slices.push({ records: of, next: isLast ? next : (of.at(-1)?.offset ?? next - 1) + 1 })
      }
      count(added, 1)
    },
    first: () => slices[0],
    begin: () => {
      isBegun = true
      return slices[0]
    },
    shift: () => {
      isBegun = false
      count(slices.shift()?.records ?? [], -1)
    },
    isFull: () => isFull,
    records: () => records,
    setCatchUp: (isCatchingUp) => {
      limit = isCatchingUp ? catchUpLimit : usualLimit
      isFull = false
      checkLimit()
    },
  }
}

type Deps = {
  readonly buffer: Pick<FetchBuffer, 'setCatchUp' | 'isFull' | 'records'>
  /** Limits how many partitions catch up at once. */
  readonly acquire: Acquire
  /** How many records of the log are not fetched yet. */
  readonly notFetched: () => number
  readonly isPaused: () => boolean
  readonly changed: () => void
  readonly sleep: Sleep
  readonly closed: AbortSignal
}

const farBehind = 1_000
/** A catch-up slice is fetched within a second or two, also while other partitions are fetched and handled. */
const withinMs = 4_000

/** A partition that is far behind is handled in large slices: fewer round trips to the database for each record. */
export const catchUpOf = ({ buffer, acquire, notFetched, isPaused, changed, sleep, closed }: Deps) => {
  let filled = new AbortController()
  const check = () => {
    if (closed.aborted || isPaused() || buffer.isFull() || notFetched() <= 0) filled.abort()
  }
  closed.addEventListener('abort', () => filled.abort())
  return {
    /** To be called when something has been fetched, or the log's end is known anew. */
    check,
    /** Waits until the buffer has a large slice, and returns a permit to dispose when that is handled; returns at once where the partition is not far behind. */
    fill: async (): Promise<Permit | undefined> => {
      if (notFetched() + buffer.records() < farBehind) return undefined
      const permit = await acquire(closed)
      buffer.setCatchUp(true)
      changed()
      filled = new AbortController()
      check()
      await sleep(withinMs, filled.signal)
      buffer.setCatchUp(false)
      changed()
      return permit
    },
  }
}
