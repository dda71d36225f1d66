import { crc32 } from 'node:zlib'
import type { Enrichment } from '../../../contracts/commands/enrichment.ts'
import { accountIdIn } from '../domain/identity.ts'
import { batchedLookup } from '../shared/batched-lookup.ts'
import { fairSemaphore } from '../shared/semaphore.ts'
import { settled } from '../shared/timeout.ts'
import type { FindEnrichment } from './enrichment.ts'

/** 8 MB. With a million keys, one in sixty other keys is a false positive. */
const bits = 2 ** 26

/** Which keys may have an enrichment: a Bloom filter with one hash. */
export type EnrichmentFilter = {
  readonly add: (key: string) => void
  /** False if the filter is complete and no key was ever added. */
  readonly hasAny: () => boolean
  /** False if the filter is complete and the key was never added. */
  readonly mayHave: (key: string) => boolean
  /** Sets whether the filter has all existing keys. */
  readonly setComplete: (isComplete: boolean) => void
}

/** A key's bit is never cleared, so the filter says 'maybe' for a key that was removed. */
export const enrichmentFilter = (): EnrichmentFilter => {
  const words = new Int32Array(bits / 32)
  let isComplete = false
  let isEmpty = true
  const placeOf = (key: string) => crc32(key) & (bits - 1)
  return {
    add: (key) => {
      const place = placeOf(key)
      words[place >>> 5] = (words[place >>> 5] ?? 0) | (1 << (place & 31))
      isEmpty = false
    },
    hasAny: () => !isEmpty || !isComplete,
    mayHave: (key) => {
      const place = placeOf(key)
      return !isComplete || ((words[place >>> 5] ?? 0) & (1 << (place & 31))) !== 0
    },
    setComplete: (complete) => {
      isComplete = complete
    },
  }
}

/** The newest enrichments of the keys that have one, each with its key. */
type FindAll = (keys: ReadonlyArray<string>) => Promise<ReadonlyArray<readonly [key: string, enrichment: Enrichment]>>

/**
 * After a look-up has started, the next one waits until the newest event is published, but not longer than this. During
 * the wait, more keys join its batch. The reply to an event waits for the publishing anyway.
 */
const restAtMostMs = 10

/** How many keys are looked up at the same time, in all and of one account: a batch has no more of them. */
const keysAtOnce = { inAll: 1_000, ofOne: 500 }

/**
 * Looks up a visitor's enrichment. Most visitors have none, and the filter shows this without a database query. The
 * filter is checked again when the event is in the log, because a key may have been on its way to the filter. Look-ups
 * that arrive while one is running go to the database together, in the next batch. In a batch the accounts have turns.
 */
export const findingEnrichments = (findAll: FindAll, { hasAny, mayHave }: EnrichmentFilter): FindEnrichment => {
  const acquire = fairSemaphore(keysAtOnce)
  let latest: Promise<unknown> = Promise.resolve()
  const find = batchedLookup(
    async (keys) => new Map(await findAll([...keys])),
    () => settled(latest, restAtMostMs),
  )
  return async (keysOf, published, signal) => {
    latest = published
    const promising = () => (hasAny() ? keysOf().filter(mayHave) : [])
    let keys = promising()
    if (keys.length === 0) {
      await published
      keys = promising()
    }
    const [first] = keys
    if (first === undefined) return undefined
    using _permit = await acquire(accountIdIn(first), signal, keys.length)
    if (signal.aborted) return undefined
    const byKey = await find(keys)
    return keys.map((key) => byKey.get(key)).find((enrichment) => enrichment !== undefined)
  }
}
