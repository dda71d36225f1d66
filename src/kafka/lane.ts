import * as E from 'fp-ts/lib/Either.js'
import type { Failure, Sleep } from '../domain/ports.ts'
import { backoff } from '../shared/backoff.ts'

export type LaneLimits = {
  /** Of one send; a record that is larger goes alone. */
  readonly send: { readonly records: number; readonly bytes: number }
  /** Of all that waits; what comes beyond is refused at once. */
  readonly waiting: { readonly records: number; readonly bytes: number }
}

type Deps<R> = {
  /** Resolves when all of the batch is durable; any rejection means 'not known', for each of its records. */
  readonly send: (batch: ReadonlyArray<R>) => Promise<void>
  /** Why no repetition will help, if so. */
  readonly refusalOf: (error: unknown) => Failure | undefined
  readonly sizeOf: (record: R) => number
  readonly limits: LaneLimits
  readonly sleep: Sleep
  readonly random: () => number
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number
}

export type Waiting = { readonly records: number; readonly bytes: number; readonly oldestMs: number }

export type Lane<R> = {
  /** Right when the record is durable; Left permanent or too-large when it can never be; Left transient when it was not taken, or the lane was stopped. */
  readonly append: (record: R) => Promise<E.Either<Failure, void>>
  /** What is not settled yet. */
  readonly waiting: () => Waiting
  /** Takes nothing more, and settles what waits: by sending it, or after so many milliseconds as 'not known'. */
  readonly stop: (withinMs: number) => Promise<void>
}

type Entry<R> = {
  readonly record: R
  readonly bytes: number
  readonly since: number
  /** Undefined once the record is settled. */
  settle: ((outcome: E.Either<Failure, void>) => void) | undefined
}

const pause = { baseMs: 50, capMs: 1_000 }
const durable = E.right(undefined)
const transient = (reason: string) => E.left({ kind: 'transient' as const, reason })

/**
 * One send at a time, of everything that waits, in the order of the calls. After a rejection the same batch is sent again
 * until it succeeds; nothing overtakes it meanwhile. A batch that can never succeed is halved until the culprit is alone.
 */
export const lane = <R>({ send, refusalOf, sizeOf, limits, sleep, random, clock }: Deps<R>): Lane<R> => {
  const entries: Array<Entry<R>> = []
  const gone = new AbortController()
  let records = 0
  let bytes = 0
  let stopping = false
  let refusing = false
  let running: Promise<void> | undefined

  const settle = (entry: Entry<R>, outcome: E.Either<Failure, void>) => {
    if (entry.settle === undefined) return
    records--
    bytes -= entry.bytes
    entry.settle(outcome)
    entry.settle = undefined
  }
  const nextBatch = () => {
    let size = entries[0]?.bytes ?? 0
    let count = 1
    for (; count < limits.send.records; count++) {
      size += entries[count]?.bytes ?? Number.POSITIVE_INFINITY
      if (size > limits.send.bytes) break
    }
    return entries.slice(0, count)
  }
  const deliver = async (batch: ReadonlyArray<Entry<R>>): Promise<void> => {
    for (let failures = 1; !gone.signal.aborted; failures++) {
      try {
        await send(batch.map(({ record }) => record))
        for (const entry of batch) settle(entry, durable)
        return
      } catch (error) {
        const refusal = refusalOf(error)
        if (refusal === undefined) await sleep(backoff(failures, pause, random), gone.signal)
        else return isolate(batch, refusal)
      }
    }
  }
  const isolate = async (batch: ReadonlyArray<Entry<R>>, refusal: Failure): Promise<void> => {
    const [first] = batch
    if (first !== undefined && batch.length === 1) return settle(first, E.left(refusal))
    const middle = Math.ceil(batch.length / 2)
    await deliver(batch.slice(0, middle))
    await deliver(batch.slice(middle))
  }
  const run = async () => {
    // What is appended in the same turn goes in the same send.
    await Promise.resolve()
    while (entries.length > 0 && !gone.signal.aborted) {
      const batch = nextBatch()
      await deliver(batch)
      entries.splice(0, batch.length)
    }
    running = undefined
  }

  /** A smaller record must not slip past a refused one before its caller has heard of the refusal. */
  const refuseThisTurn = () => {
    refusing = true
    setImmediate(() => {
      refusing = false
    })
  }

  return {
    append: (record) => {
      const size = sizeOf(record)
      if (stopping) return Promise.resolve(transient('stopping'))
      if (refusing || records >= limits.waiting.records || bytes + size > limits.waiting.bytes) {
        refuseThisTurn()
        return Promise.resolve(transient('too much waits to be appended'))
      }
      records++
      bytes += size
      return new Promise((resolve) => {
        entries.push({ record, bytes: size, since: clock(), settle: resolve })
        running ??= run()
      })
    },
    waiting: () => {
      const oldest = entries.find(({ settle }) => settle !== undefined)
      return { records, bytes, oldestMs: oldest === undefined ? 0 : clock() - oldest.since }
    },
    stop: async (withinMs) => {
      stopping = true
      const drained = new AbortController()
      running?.then(() => drained.abort())
      if (running !== undefined) await sleep(withinMs, drained.signal)
      gone.abort()
      for (const entry of entries) settle(entry, transient('stopped before it was known to be durable'))
    },
  }
}
