import { randomBytes, randomUUID, type webcrypto } from 'node:crypto'
import type { ArchiveKey, ArchiveKeys, LogPlace } from '../domain/ports.ts'
import { lru } from '../shared/lru.ts'
import type { WrappingKeys } from './key-file.ts'

/** The key that encrypts the records of a record key, and the place up to which they were erased. */
export type SealingKey = { readonly kid: string; readonly key: Uint8Array; readonly erased: LogPlace | undefined }

/** The key that encrypted a record, or `erased` if the key was destroyed. */
export type OpeningKey = webcrypto.CryptoKey | 'erased'

/** The data key of a record, by its names and the place of the record. */
export type WantedKey = { readonly id: string; readonly kid: string; readonly place: LogPlace }

/** MongoDB has neither the key of a record nor a marker of its erasure, so it has lost the key. */
export class KeyLost extends Error {}

/** The state of a key. If an older copy of MongoDB never had an erased key, the marker of the erasure shows it. */
const stateOf = ({ kid, place }: WantedKey, found: ArchiveKey | undefined): 'there' | 'erased' | 'lost' => {
  if (found?.kid === kid) return 'there'
  if (found?.erasedKids.includes(kid)) return 'erased'
  const { generation, partition, offset } = place
  const { erased } = found ?? {}
  const isBefore = erased?.generation === generation && erased.partition === partition && offset < erased.offset
  return isBefore ? 'erased' : 'lost'
}

/** The keys that are neither stored nor erased. */
export const lostAmong = async <W extends WantedKey>(
  stored: Pick<ArchiveKeys, 'find'>,
  wanted: ReadonlyArray<W>,
): Promise<ReadonlyArray<W>> => {
  const found = await stored.find([...new Set(wanted.map(({ id }) => id))])
  return wanted.filter((each) => stateOf(each, found.get(each.id)) === 'lost')
}

const remembered = 20_000

const imported = (raw: Uint8Array) => crypto.subtle.importKey('raw', new Uint8Array(raw), 'AES-GCM', false, ['decrypt'])

export const keyId = (topic: string, recordKey: Buffer | null): string => `${topic}/${recordKey?.toString() ?? ''}`

export type DataKeys = ReturnType<typeof dataKeys>

/** The data keys of the archive, one for each topic and record key. The most recently used ones are cached. */
export const dataKeys = (stored: ArchiveKeys, wrapping: WrappingKeys) => {
  const sealing = lru<SealingKey>(remembered)
  const opening = lru<OpeningKey>(remembered)

  /** Makes and stores keys. Returns them by their kids, not wrapped. */
  const make = async (ids: ReadonlyArray<string>): Promise<ReadonlyMap<string, Uint8Array>> => {
    const made = ids.map((id) => ({ id, kid: randomUUID(), raw: randomBytes(32) }))
    const wrap = async ({ id, kid, raw }: (typeof made)[number]) => ({ id, kid, wrapped: await wrapping.wrap(raw) })
    await stored.add(await Promise.all(made.map(wrap)))
    return new Map(made.map(({ kid, raw }) => [kid, raw]))
  }
  const opened = async (
    { kid = '', wrapped = '', erased }: ArchiveKey,
    made: ReadonlyMap<string, Uint8Array> = new Map(),
  ): Promise<SealingKey> => ({
    kid,
    key: made.get(kid) ?? (await wrapping.unwrap(wrapped)),
    erased,
  })
  const openingKey = async (wanted: WantedKey, found: ArchiveKey | undefined): Promise<OpeningKey> => {
    const state = stateOf(wanted, found)
    if (state === 'erased') return state
    if (state === 'there' && found !== undefined) return imported((await opened(found)).key)
    const { id, kid } = wanted
    throw new KeyLost(
      `MongoDB has neither the data key ${kid} of ${id.slice(0, id.indexOf('/'))} nor a marker that it was erased: restore the collection archive_keys from a newer copy, or see livechat-bridge archive keys`,
    )
  }
  return {
    /** Why the key file does not fit the stored data keys; undefined if it fits. */
    misfit: async (): Promise<string | undefined> => {
      const examples = await stored.examples()
      const opened = await Promise.allSettled(examples.map(wrapping.unwrap))
      const failed = opened.find(({ status }) => status === 'rejected')
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
        await Promise.all([...found].map(async ([id, key]) => sealing.set(id, await opened(key, made))))
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
    /** Throws KeyLost if a key is neither stored nor erased. */
    forOpening: async (wanted: ReadonlyArray<WantedKey>): Promise<ReadonlyMap<string, OpeningKey>> => {
      const keys = new Map(wanted.map(({ kid }) => [kid, opening.get(kid)]))
      const unknown = new Map(wanted.flatMap((each) => (keys.get(each.kid) === undefined ? [[each.kid, each]] : [])))
      const ids = new Set([...unknown.values()].map(({ id }) => id))
      const found = ids.size === 0 ? new Map() : await stored.find([...ids])
      for (const [kid, each] of unknown) {
        const key = await openingKey(each, found.get(each.id))
        opening.set(kid, key)
        keys.set(kid, key)
      }
      return new Map([...keys].flatMap(([kid, key]) => (key === undefined ? [] : [[kid, key]])))
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
