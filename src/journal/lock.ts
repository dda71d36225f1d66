import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../domain/ports.ts'
import { transient } from './failure.ts'

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
 * Holds the directory for this process until the returned function is called or the process ends, however it ends.
 * Node has no file locks of its own; SQLite's are the system's, which a SIGKILL frees and a reused pid cannot keep.
 */
export const lockDirectory = (dir: string): E.Either<Failure, () => void> => {
  try {
    const database = take(join(dir, 'lock'))
    return E.right(() => database.close())
  } catch (cause) {
    const busy = cause instanceof Error && 'errcode' in cause && cause.errcode === 5
    return transient(busy ? 'another process uses the journal' : 'the journal cannot be locked')
  }
}
