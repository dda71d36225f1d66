import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose'
import type { ArchiveKeys, NewArchiveKey } from '../domain/archive-keys.ts'
import { madeOnce } from '../shared/private-files.ts'

/** The keys of ARCHIVE_KEY_FILE. They wrap the data keys. */
export type WrappingKeys = {
  /** The id of the key that wraps: the first key of the file. */
  readonly kid: string
  readonly wrap: (key: Uint8Array) => Promise<string>
  /** Rejects if the file lacks the key that wrapped it, or if the text was changed. */
  readonly unwrap: (wrapped: string) => Promise<Uint8Array>
}

/** The wrapped data keys of these that the keys of the file do not open. */
export const unopenedBy = async (
  { unwrap }: Pick<WrappingKeys, 'unwrap'>,
  wrapped: ReadonlyArray<string>,
): Promise<ReadonlyArray<string>> => {
  const opened = await Promise.allSettled(wrapped.map(unwrap))
  return wrapped.filter((_, i) => opened[i]?.status === 'rejected')
}

const KeyFile = t.type({ keys: t.array(t.type({ kty: t.literal('oct'), kid: t.string, k: t.string })) }, 'KeyFile')
const keyBytes = 32

export const wrappingKidOf = (wrapped: string): string => String(decodeProtectedHeader(wrapped).kid)

const wrappingKeys = (keys: ReadonlyMap<string, Uint8Array>): WrappingKeys => {
  const [[kid, first] = ['', new Uint8Array()]] = keys
  return {
    kid,
    wrap: (key) => new CompactEncrypt(key).setProtectedHeader({ alg: 'A256KW', enc: 'A256GCM', kid }).encrypt(first),
    unwrap: async (wrapped) => {
      const key = keys.get(wrappingKidOf(wrapped))
      if (key === undefined)
        throw new Error(`ARCHIVE_KEY_FILE has no key ${wrappingKidOf(wrapped)}, which has wrapped data keys`)
      try {
        return (await compactDecrypt(wrapped, key)).plaintext
      } catch {
        throw new Error(
          `the key ${wrappingKidOf(wrapped)} in ARCHIVE_KEY_FILE is not the key ${wrappingKidOf(wrapped)} that wrapped the data keys`,
        )
      }
    },
  }
}

/** The keys in a file's text, a JWK set (RFC 7517) of symmetric 256-bit keys. Left says what is wrong with the text. */
export const readKeys = (text: string): E.Either<string, WrappingKeys> => {
  const json = E.tryCatch(
    () => JSON.parse(text) as unknown,
    () => 'is not JSON',
  )
  if (E.isLeft(json)) return json
  const decoded = KeyFile.decode(json.right)
  const expected = 'is not a JWK set of keys with kty "oct", kid and k, each k of 32 bytes in base64url'
  if (E.isLeft(decoded) || decoded.right.keys.length === 0) return E.left(expected)
  const keys = new Map(decoded.right.keys.map(({ kid, k }) => [kid, new Uint8Array(Buffer.from(k, 'base64url'))]))
  if ([...keys.values()].some(({ length }) => length !== keyBytes)) return E.left(expected)
  if (keys.size < decoded.right.keys.length) return E.left('has two keys with one kid')
  return E.right(wrappingKeys(keys))
}

export const newKeyFile = (kid: string): string =>
  `${JSON.stringify({ keys: [{ kty: 'oct', kid, k: randomBytes(keyBytes).toString('base64url') }] }, null, 2)}\n`

/** The keys of a file. If `mayMake`, a missing file is created. Left is the error message. */
export const openKeyFile = (path: string, mayMake: boolean): E.Either<string, WrappingKeys> => {
  try {
    const text = mayMake ? madeOnce(path, () => newKeyFile(randomUUID())) : readFileSync(path, 'utf8')
    return E.mapLeft((what: string) => `ARCHIVE_KEY_FILE: ${path} ${what}`)(readKeys(text))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    return E.left(`ARCHIVE_KEY_FILE: ${path} cannot be ${mayMake ? 'made or read' : 'read'} (${code})`)
  }
}

const rewrappedAtOnce = 500

/** Wraps every data key with the first key of the file. Returns how many were wrapped by another key. */
export const rewrapAll = async (keys: Pick<ArchiveKeys, 'all' | 'rewrap'>, wrapping: WrappingKeys): Promise<number> => {
  let changed = 0
  let some: NewArchiveKey[] = []
  const flush = async () => {
    await keys.rewrap(some)
    changed += some.length
    some = []
  }
  for await (const key of keys.all()) {
    if (wrappingKidOf(key.wrapped) === wrapping.kid) continue
    some.push({ ...key, wrapped: await wrapping.wrap(await wrapping.unwrap(key.wrapped)) })
    if (some.length >= rewrappedAtOnce) await flush()
  }
  await flush()
  return changed
}

/** How many data keys are wrapped with a key. */
export const countWrappedWith = async (keys: Pick<ArchiveKeys, 'all'>, kid: string): Promise<number> => {
  let count = 0
  for await (const { wrapped } of keys.all()) if (wrappingKidOf(wrapped) === kid) count++
  return count
}
