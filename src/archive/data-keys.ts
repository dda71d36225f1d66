import { randomBytes, randomUUID, type webcrypto } from 'node:crypto'
import type { ArchiveKey, ArchiveKeys, LogPlace } from '../domain/ports.ts'
import { lru } from '../shared/lru.ts'
import type { WrappingKeys } from './key-file.ts'

/** With what a record key's records are encrypted, and up to where they were erased. */
export type SealingKey = { readonly kid: string; readonly key: Uint8Array; readonly erased: LogPlace | undefined }

/** The key that a record was encrypted with, or that it was destroyed. */
export type OpeningKey = webcrypto.CryptoKey | 'erased'

/** The key of a record, by its name and where the record stood. */
export type WantedKey = { readonly id: string; readonly kid: string; readonly place: LogPlace }

/** There is neither the key that a record names nor a marker that it was erased: MongoDB has lost it. */
export class KeyLost extends Error {}

/** What became of a key. An older copy of MongoDB may never have had one that was erased: its marker was applied again. */
const stateOf = ({ kid, place }: WantedKey, found: ArchiveKey | undefined): 'there' | 'erased' | 'lost' => {
  if (found?.kid === kid) return 'there'
  if (found?.erasedKids.includes(kid)) return 'erased'
  const { generation, partition, offset } = place
  const { erased } = found ?? {}
  const isBefore = erased?.generation === generation && erased.partition === partition && offset < erased.offset
  return isBefore ? 'erased' : 'lost'
}

/** Those of the keys that are neither there nor erased. */
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

/** The data keys of the archive, one for each topic and record key; those used last are remembered. */
export const dataKeys = (stored: ArchiveKeys, wrapping: WrappingKeys) => {
  const sealing = lru<SealingKey>(remembered)
  const opening = lru<OpeningKey>(remembered)

  /** The keys that were made, by their kids, as they are before they are wrapped. */
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
    /** Why the key file does not belong to the data keys that there are. */
    misfit: async (): Promise<string | undefined> => {
      const examples = await stored.examples()
      const opened = await Promise.allSettled(examples.map(wrapping.unwrap))
      const failed = opened.find(({ status }) => status === 'rejected')
      return failed?.status === 'rejected' ? String(failed.reason.message) : undefined
    },
    /** The keys of these ids, made where there are none: of two who make one, the first one's stays. */
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
      // Remembered ones may be too many to be remembered at once.
      return new Map(
        [...keys].map(([id, key]) => {
          const known = key ?? sealing.get(id)
          if (known === undefined) throw new Error('a data key that was made is gone again')
          return [id, known] as const
        }),
      )
    },
    /** Throws KeyLost where a key is neither there nor erased. */
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
    /** Whoever erases a record key from this place on must forget its key at once. */
    destroy: async (id: string, place: LogPlace): Promise<void> => {
      await stored.destroy(id, place)
      sealing.delete(id)
    },
    /** Others may have destroyed keys meanwhile. */
    forget: (): void => {
      sealing.clear()
      opening.clear()
    },
  }
}
