import { closeSync, fchmodSync, openSync, writeFileSync } from 'node:fs'

/** Writes a file that only this user can read, also where a file with other rights has this name already. */
export const writePrivateFile = (path: string, text: string): void => {
  const file = openSync(path, 'w', 0o600)
  try {
    fchmodSync(file, 0o600)
    writeFileSync(file, text)
  } finally {
    closeSync(file)
  }
}
