import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../domain/log/record.ts'
import type { Log } from '../shared/log.ts'
import { attempt, makeFolder, type OpenFile, replaceFile } from './files.ts'

/** The damage that was found since the journal was opened. */
export type DamageCount = { readonly places: number; readonly bytes: number }

type DamagePlace = {
  readonly file: string
  readonly offset: number
  readonly content: Buffer
  readonly reason: string
}

export type DamageReport = {
  /** Reports a place and copies its bytes, once. Left when the copy failed: the caller must then repeat the call. */
  readonly report: (place: DamagePlace) => Promise<E.Either<Failure, void>>
  readonly setAside: (place: DamagePlace) => Promise<E.Either<Failure, void>>
  readonly count: () => DamageCount
}

/** Counts damage. Copies go to `damaged/<file>-<offset>`, where an operator can inspect and remove them. */
export const damageReport = (dir: string, openFile: OpenFile, log: Log): DamageReport => {
  const counted = new Set<string>()
  const copied = new Set<string>()
  let bytes = 0
  const setAside = async ({ file, offset, content }: DamagePlace) =>
    attempt('damaged bytes cannot be set aside', async () => {
      await makeFolder(join(dir, 'damaged'))
      await replaceFile(openFile, join(dir, 'damaged', `${file}-${offset}`), content)
    })
  const report = async (place: DamagePlace): Promise<E.Either<Failure, void>> => {
    const { file, offset, content, reason } = place
    const id = `${file}-${offset}`
    if (copied.has(id)) return E.right(undefined)
    const outcome = await setAside(place)
    if (E.isRight(outcome)) copied.add(id)
    if (!counted.has(id)) bytes += content.length
    counted.add(id)
    const copy = E.isRight(outcome) ? `damaged/${id}` : outcome.left.reason
    log.error(
      { file, offset, bytes: content.length, reason, copy },
      'the journal is damaged: reading continues after the damaged bytes',
    )
    return outcome
  }
  return { report, setAside, count: () => ({ places: counted.size, bytes }) }
}
