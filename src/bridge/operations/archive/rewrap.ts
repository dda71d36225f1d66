import { type WrappingKeys, wrappingKidOf } from '../../archive/key-file.ts'
import type { ArchiveKeys, NewArchiveKey } from '../../domain/archive-keys.ts'

const atOnce = 500

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
    if (some.length >= atOnce) await flush()
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
