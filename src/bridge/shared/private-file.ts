import { closeSync, fchmodSync, fsyncSync, openSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolders } from './folders.ts'

/** Writes a file that only this user can read, also where its folder is missing or a file with other rights has this name. */
export const writePrivateFile = (path: string, text: string): void => {
  makeFolders(dirname(path))
  const file = openSync(path, 'w', 0o600)
  try {
    fchmodSync(file, 0o600)
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
