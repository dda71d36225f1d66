import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../domain/log/record.ts'
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
 * Locks the folder until the returned function is called or the process ends in any way.
 * Node has no file locks. SQLite uses locks of the operating system: a SIGKILL releases them, and a reused pid cannot
 * keep them. Left: transient if another process has the lock, permanent if the file cannot be used.
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
