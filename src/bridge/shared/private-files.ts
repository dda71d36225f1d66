import { randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'

const isThereAlready = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EEXIST'

const made = (folder: string, mode: number): boolean => {
  try {
    mkdirSync(folder, { mode })
    return true
  } catch (error) {
    if (isThereAlready(error)) return false
    throw error
  }
}

/**
 * Makes a folder, and those above it that are missing. Only this user can read them, unless `mode` says otherwise.
 * Returns the first one that it made. Node's own `recursive` never ends below /proc and below a link to nothing: a folder there is missing although the
 * one above it cannot be made either.
 */
export const makeFolders = (path: string, mode = 0o700): string | undefined => {
  const folder = resolve(path)
  const missing: string[] = []
  for (let each = folder; !existsSync(each); each = dirname(each)) missing.unshift(each)
  const first = missing.filter((each) => made(each, mode))[0]
  if (!statSync(folder).isDirectory()) throw Object.assign(new Error('it is no folder'), { code: 'ENOTDIR' })
  return first
}

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

/** Gives a complete file another name, unless somebody has that name. */
type GiveName = (from: string, to: string) => void

const tryTo = (giveName: GiveName, from: string, to: string): unknown => {
  try {
    giveName(from, to)
    return undefined
  } catch (error) {
    return isThereAlready(error) ? undefined : error
  }
}

/** Some file systems have no links, for example those of Windows shares. There another process may read too early. */
const copy: GiveName = (from, to) => copyFileSync(from, to, constants.COPYFILE_EXCL)

/**
 * The content of a file that is made once. Of several processes that start at the same moment, one makes the file, and
 * all read what that one wrote: the file gets its name only when its content is complete and on the disk.
 */
export const madeOnce = (path: string, make: () => string, link: GiveName = linkSync): string => {
  if (!existsSync(path)) {
    const own = `${path}.${randomUUID()}`
    try {
      writePrivateFile(own, make())
      const failed = tryTo(link, own, path) && tryTo(copy, own, path)
      if (failed) throw failed
    } finally {
      rmSync(own, { force: true })
    }
  }
  return readFileSync(path, 'utf8')
}
