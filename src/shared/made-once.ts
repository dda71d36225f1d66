import { randomUUID } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync } from 'node:fs'
import { isThereAlready } from './folders.ts'
import { writePrivateFile } from './private-file.ts'

/**
 * The content of a file that is made once. Of several processes that start at the same moment, one makes the file, and
 * all read what that one wrote: the file gets its name only when its content is complete.
 */
export const madeOnce = (path: string, make: () => string): string => {
  if (!existsSync(path)) {
    const own = `${path}.${randomUUID()}`
    writePrivateFile(own, make())
    try {
      linkSync(own, path)
    } catch (error) {
      if (!isThereAlready(error)) throw error
    } finally {
      rmSync(own)
    }
  }
  return readFileSync(path, 'utf8')
}
