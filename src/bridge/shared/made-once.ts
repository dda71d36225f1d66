import { randomUUID } from 'node:crypto'
import { constants, copyFileSync, existsSync, linkSync, readFileSync, rmSync } from 'node:fs'
import { isThereAlready } from './folders.ts'
import { writePrivateFile } from './private-file.ts'

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
