import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../domain/ports.ts'
import { attempt, makeFolder } from './files.ts'

const busy = 5

const take = (path: string): DatabaseSync => {
  const database = new DatabaseSync(path)
  try {
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}

/**
 * Holds the folder for this process until the returned function is called or the process ends, however it ends.
 * Node has no file locks of its own; SQLite's are the system's, which a SIGKILL frees and a reused pid cannot keep.
 * Left: transient where another process holds it, permanent where the file cannot be used.
 */
export const lockFolder = async (dir: string): Promise<E.Either<Failure, () => void>> => {
  const made = await attempt('the folder cannot be made', () => makeFolder(dir))
  if (E.isLeft(made)) return E.left({ kind: 'permanent', reason: made.left.reason })
  try {
    const database = take(join(dir, 'lock'))
    return E.right(() => database.close())
  } catch (cause) {
    const { errcode, errstr } = { errcode: undefined, errstr: 'unknown', ...(cause as object) }
    return errcode === busy
      ? E.left({ kind: 'transient', reason: 'another process uses the journal' })
      : E.left({ kind: 'permanent', reason: `the file lock cannot be used: ${errstr}` })
  }
}
