import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { canariesIn, isAny } from './canaries.ts'

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))

/** A server may delete a file before this reads it. */
const bytesOf = (file: string): Buffer => {
  try {
    return lstatSync(file).size === 0 ? Buffer.alloc(0) : readFileSync(file)
  } catch {
    return Buffer.alloc(0)
  }
}

/** Searches the raw bytes of every file below these folders. By canary: the files that contain it. */
export const searched = (...folders: ReadonlyArray<string>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, string[]>()
  for (const file of folders.flatMap(filesIn)) {
    const bytes = bytesOf(file)
    if (isAny(bytes))
      for (const where of canariesIn(bytes.toString('latin1'))) found.set(where, [...(found.get(where) ?? []), file])
  }
  return found
}
