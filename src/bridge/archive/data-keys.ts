import { randomBytes, randomUUID, type webcrypto } from 'node:crypto'
import type { ArchiveKey, ArchiveKeys } from '../domain/archive-keys.ts'
import type { LogPlace } from '../domain/log/positions.ts'
import type { WrappingKeys } from './key-file.ts'

/** The key that encrypts the records of a record key, and the place up to which they were erased. */
export type SealingKey = { readonly kid: string; readonly key: Uint8Array; readonly erased: LogPlace | undefined }

/**
 * The key that encrypted a record. `erased`: it was destroyed. `lost`: MongoDB has neither the key nor a marker of its
 * erasure.
 */
export type OpeningKey = webcrypto.CryptoKey | 'erased' | 'lost'

/** The data key of a record, by its names and the place of the record. */
export type WantedKey = { readonly id: string; readonly kid: string; readonly place: LogPlace }

export const lostText = (id: string, kid: string): string =>
  `MongoDB has neither the data key ${kid} of ${id.slice(0, id.indexOf('/'))} nor a marker that it was erased: restore the collection archive_keys from a newer copy, or see livechat-bridge archive keys`

/**
 * The stored key, or why there is none. If an older copy of MongoDB never had an erased key, the marker of the erasure
 * shows it.
 */
const storedKeyOf = ({ kid, place }: WantedKey, found: ArchiveKey | undefined): ArchiveKey | 'erased' | 'lost' => {
  if (found?.kid === kid) return found
  if (found?.erasedKids.includes(kid)) return 'erased'
  const { topicId, partition, offset } = place
  const { erased, lostBefore = [] } = found ?? {}
  const gone = erased === undefined ? lostBefore : [erased, ...lostBefore]
  const isGone = gone.some((to) => to.topicId === topicId && to.partition === partition && offset < to.offset)
  return isGone ? 'erased' : 'lost'
}

/** The keys that are neither stored nor erased. */
export const lostAmong = async <W extends WantedKey>(
  stored: Pick<ArchiveKeys, 'find'>,
  wanted: ReadonlyArray<W>,
): Promise<ReadonlyArray<W>> => {
  const found = await stored.find([...new Set(wanted.map(({ id }) => id))])
  return wanted.filter((each) => storedKeyOf(each, found.get(each.id)) === 'lost')
}

/** A cache of at most so many values. It removes the least recently used value first. */
const lru = <A>(maxSize: number) => {
  const values = new Map<string, A>()
  const set = (key: string, value: A): void => {
    values.delete(key)
    values.set(key, value)
    const [oldest] = values.keys()
    if (values.size > maxSize && oldest !== undefined) values.delete(oldest)
  }
  return {
    get: (key: string): A | undefined => {
      const value = values.get(key)
      if (value !== undefined) set(key, value)
      return value
    },
    set,
    delete: (key: string): void => void values.delete(key),
    clear: (): void => values.clear(),
  }
}

const remembered = 20_000

const imported = (raw: Uint8Array) => crypto.subtle.importKey('raw', new Uint8Array(raw), 'AES-GCM', false, ['decrypt'])

export const keyId = (topic: string, recordKey: Buffer | null): string => `${topic}/${recordKey?.toString() ?? ''}`

export type DataKeys = ReturnType<typeof dataKeys>

/** The data keys of the archive, one for each topic and record key. The most recently used ones are cached. */
export const dataKeys = (stored: ArchiveKeys, wrapping: WrappingKeys) => {
  const sealing = lru<SealingKey>(remembered)
  const opening = lru<webcrypto.CryptoKey>(remembered)

  /** Makes and stores keys. Returns them by their kids, not wrapped. */
  const make = async (ids: ReadonlyArray<string>): Promise<ReadonlyMap<string, Uint8Array>> => {
    const made = ids.map((id) => ({ id, kid: randomUUID(), raw: randomBytes(32) }))
    const wrap = async ({ id, kid, raw }: (typeof made)[number]) => ({ id, kid, wrapped: await wrapping.wrap(raw) })
    await stored.add(await Promise.all(made.map(wrap)))
    return new Map(made.map(({ kid, raw }) => [kid, raw]))
  }
  const sealingKeyOf = async (
    { kid = '', wrapped = '', erased }: ArchiveKey,
    made: ReadonlyMap<string, Uint8Array> = new Map(),
  ): Promise<SealingKey> => ({
    kid,
    key: made.get(kid) ?? (await wrapping.unwrap(wrapped)),
    erased,
  })
  return {
    /** Why the key file does not fit the stored data keys; undefined if it fits. */
    misfit: async (): Promise<string | undefined> => {
      const examples = await stored.examples()
      const unwrapped = await Promise.allSettled(examples.map(wrapping.unwrap))
      const failed = unwrapped.find(({ status }) => status === 'rejected')
      return failed?.status === 'rejected' ? String(failed.reason.message) : undefined
    },
    /** The keys of these ids. Missing ones are made. If two processes make the same key, the first one is kept. */
    forSealing: async (ids: Iterable<string>): Promise<ReadonlyMap<string, SealingKey>> => {
      const keys = new Map([...ids].map((id) => [id, sealing.get(id)]))
      const unknown = [...keys].flatMap(([id, key]) => (key === undefined ? [id] : []))
      if (unknown.length > 0) {
        const before = await stored.find(unknown)
        const missing = unknown.filter((id) => before.get(id)?.kid === undefined)
        const made = missing.length > 0 ? await make(missing) : undefined
        const found = missing.length > 0 ? new Map([...before, ...(await stored.find(missing))]) : before
        await Promise.all([...found].map(async ([id, key]) => sealing.set(id, await sealingKeyOf(key, made))))
      }
      // Adding keys may have evicted others from the cache, so `keys` holds those that were cached before.
      return new Map(
        [...keys].map(([id, key]) => {
          const known = key ?? sealing.get(id)
          if (known === undefined) throw new Error('a data key disappeared after it was created')
          return [id, known] as const
        }),
      )
    },
    /** By the keys that are wanted. A key may be erased for some of its records only, so not every answer is cached. */
    forOpening: async (wanted: ReadonlyArray<WantedKey>): Promise<ReadonlyMap<WantedKey, OpeningKey>> => {
      // What is cached now is used, even if it leaves the cache while other keys are read.
      const keys = new Map<string, webcrypto.CryptoKey>()
      for (const { kid } of wanted) {
        const cached = opening.get(kid)
        if (cached !== undefined) keys.set(kid, cached)
      }
      const unknown = wanted.filter(({ kid }) => !keys.has(kid))
      const ids = [...new Set(unknown.map(({ id }) => id))]
      const found = ids.length === 0 ? new Map<string, ArchiveKey>() : await stored.find(ids)
      const openingKeyOf = async (each: WantedKey): Promise<OpeningKey> => {
        const known = keys.get(each.kid)
        if (known !== undefined) return known
        const storedKey = storedKeyOf(each, found.get(each.id))
        if (storedKey === 'erased' || storedKey === 'lost') return storedKey
        const key = await imported((await sealingKeyOf(storedKey)).key)
        keys.set(each.kid, key)
        opening.set(each.kid, key)
        return key
      }
      const answers = new Map<WantedKey, OpeningKey>()
      for (const each of wanted) answers.set(each, await openingKeyOf(each))
      return answers
    },
    /** Destroys the key of all records before this place. This process must not encrypt with it again. */
    destroy: async (id: string, place: LogPlace): Promise<void> => {
      await stored.destroy(id, place)
      sealing.delete(id)
    },
    /** Other processes may have destroyed keys. */
    forget: (): void => {
      sealing.clear()
      opening.clear()
    },
  }
}
