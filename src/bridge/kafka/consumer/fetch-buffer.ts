import type { IncomingRecord } from '../../domain/log/record.ts'
import type { Acquire, Permit } from '../../shared/semaphore.ts'
import { bytesOf, slicesOf } from '../../shared/slices.ts'
import type { Sleep } from '../../shared/time.ts'

/** Records that are handled together. `next` is the offset to read from after these records. */
export type BufferedSlice = { readonly records: ReadonlyArray<IncomingRecord>; readonly next: number }

type FetchBuffer = {
  readonly add: (records: ReadonlyArray<IncomingRecord>, next: number) => void
  readonly first: () => BufferedSlice | undefined
  /** Returns the first slice. No record is added to it after this call. */
  readonly begin: () => BufferedSlice | undefined
  /** Removes the first slice. */
  readonly shift: () => void
  /** Whether fetching must pause: it pauses at the limit and continues when the buffer is half full. */
  readonly isFull: () => boolean
  readonly records: () => number
  /** During a catch-up the buffer may hold a whole catch-up slice. */
  readonly setCatchUp: (isCatchingUp: boolean) => void
}

const usualSlice = { records: 500, bytes: 1024 * 1024 }
// In records two slices: the next slice is ready when one has been handled, and kafkajs fetches again within its
// maximum wait. In bytes the limit is one slice.
const usualLimit = { records: 1_000, bytes: 1024 * 1024 }
/** Bounds for records of 1.4 kB (see domain/log/record.ts). If records are larger, a slice has fewer of them. */
const sized = (records: number) => ({ records, bytes: 1_400 * records })

/** How many bytes all partitions of a consumer hold together. */
export type Room = { readonly hold: (bytes: number) => void; readonly isFull: () => boolean }

/** `changed` is called when the room becomes full, and when it no longer is. */
export const roomOf = (limit: number, changed: () => void): Room => {
  let held = 0
  return {
    hold: (bytes) => {
      const wasFull = held >= limit
      held += bytes
      if (wasFull !== held >= limit) changed()
    },
    isFull: () => held >= limit,
  }
}

/**
 * What a consumer may hold. Most partitions of a topic wait while others are handled, so all of them together get less
 * than three of them would need for slices of the largest size.
 */
export const roomFor = (catchUpRecords = 0): number => Math.max(16 * 1024 * 1024, 1.5 * sized(catchUpRecords).bytes)

/**
 * The fetched records of a partition that are not handled yet, in slices of 500 records, or up to `catchUpRecords`. A
 * partition that holds nothing may fetch even if the room of all partitions is full, so that each of them gets on.
 */
export const fetchBuffer = (room: Room, catchUpRecords?: number): FetchBuffer => {
  const largestSlice = catchUpRecords === undefined ? usualSlice : sized(catchUpRecords)
  // One more fetch may be added after the limit is reached. A fetch has 1,280 KiB of a partition (kafkajs-consumer.ts):
  // about 1,000 records of 1.4 kB.
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
    const size = sign * of.reduce((sum, record) => sum + bytesOf(record), 0)
    bytes += size
    checkLimit()
    room.hold(size)
  }
  return {
    add: (added, next) => {
      // Small fetches are joined. Otherwise there would be hundreds of small slices after an outage, each with its own
      // round trips. The first slice is not joined if its handling has begun, because it must not change then. Without
      // `catchUpRecords` the first slice is never joined.
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
    isFull: () => isFull || (records > 0 && room.isFull()),
    records: () => records,
    setCatchUp: (isCatchingUp) => {
      limit = isCatchingUp ? catchUpLimit : usualLimit
      isFull = false
      checkLimit()
    },
  }
}

const farBehind = 1_000
/** A catch-up slice needs one or two seconds, even while other partitions are fetched and handled. */
const withinMs = 4_000

/** A partition that is far behind is handled in large slices: fewer round trips to the database for each record. */
export const catchUpOf = ({
  buffer,
  acquire,
  notFetched,
  isPaused,
  changed,
  sleep,
  closed,
}: {
  readonly buffer: Pick<FetchBuffer, 'setCatchUp' | 'isFull' | 'records'>
  /** Limits how many partitions catch up at once. */
  readonly acquire: Acquire
  /** How many records of the log are not fetched yet. */
  readonly notFetched: () => number
  readonly isPaused: () => boolean
  readonly changed: () => void
  readonly sleep: Sleep
  readonly closed: AbortSignal
}) => {
  let filled = new AbortController()
  const check = () => {
    // A reason: without one, each call makes an error, whose stack would cost more than the rest of a small slice.
    if (closed.aborted || isPaused() || buffer.isFull() || notFetched() <= 0) filled.abort('filled')
  }
  closed.addEventListener('abort', check)
  return {
    /** The caller must call this after a fetch, or when the log's end has changed. */
    check,
    /** Waits for a permit, then up to 4 s for a large slice. The caller disposes it. Undefined if the lag is small. */
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
