import * as E from 'fp-ts/lib/Either.js'
import { kidOf, type WrappingKeys } from '../../archive/key-file.ts'
import type { ArchiveKeys, NewArchiveKey } from '../../domain/ports.ts'
import { commandText, notRecorded, type RecordAction } from '../audit.ts'

type Deps = {
  readonly keys: Pick<ArchiveKeys, 'all' | 'rewrap'>
  readonly wrapping: WrappingKeys
  readonly recordAction: RecordAction
  readonly say: (line: string) => void
}

const atOnce = 500

/** Wraps every data key with the first key of the file. Returns how many were wrapped by another key. */
const rewrapAll = async ({ keys, wrapping }: Pick<Deps, 'keys' | 'wrapping'>): Promise<number> => {
  let changed = 0
  let some: NewArchiveKey[] = []
  const flush = async () => {
    await keys.rewrap(some)
    changed += some.length
    some = []
  }
  for await (const key of keys.all()) {
    if (kidOf(key.wrapped) === wrapping.kid) continue
    some.push({ ...key, wrapped: await wrapping.wrap(await wrapping.unwrap(key.wrapped)) })
    if (some.length >= atOnce) await flush()
  }
  await flush()
  return changed
}

const countOf = async ({ keys }: Pick<Deps, 'keys'>, kid: string): Promise<number> => {
  let count = 0
  for await (const { wrapped } of keys.all()) if (kidOf(wrapped) === kid) count++
  return count
}

/**
 * Wraps the data keys with another key. The data keys and the archive do not change. With `retire` it reports whether
 * that key may be removed from the file. Returns the exit code of the process.
 */
export const rewrap = async (deps: Deps, retire: string | undefined): Promise<number> => {
  const { wrapping, say } = deps
  if (retire === wrapping.kid) {
    say(`${retire} is the first key of the file and wraps new data keys. Put another key before it.`)
    return 1
  }
  const recorded = await deps.recordAction({ action: 'rewrap', detail: commandText('archive rewrap', { retire }) })
  if (E.isLeft(recorded)) {
    say(notRecorded(recorded.left))
    return 1
  }
  const changed = await rewrapAll(deps)
  say(`${changed} data keys were rewrapped with ${wrapping.kid}.`)
  if (retire === undefined) return 0
  const left = await countOf(deps, retire)
  if (left > 0) {
    say(
      `${left} are wrapped with ${retire} again: an archiver uses the old file. Restart it with the new file and repeat.`,
    )
    return 1
  }
  say(`None is wrapped with ${retire}. Once every archiver runs with the new file, remove this key.`)
  return 0
}
