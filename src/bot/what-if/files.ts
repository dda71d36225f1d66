import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, fchmodSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { describe, problemsOf } from '../../../contracts/problem.ts'
import { makeFolders, writePrivateFile } from '../../bridge/shared/private-files.ts'
import { AcceptedFile } from './groups.ts'

const names = { lines: 'report.jsonl', junit: 'junit.xml', page: 'report.html' } as const

const linesWithout = (path: string, chats: ReadonlySet<string>): string =>
  readFileSync(path, 'utf8')
    .split(/(?<=\n)/)
    .filter((line) => !chats.has(JSON.parse(line).chatId))
    .join('')

/** The files of a report, which only this user can read. Until `finish` the files of the run before stay. */
export const openReport = (folder: string) => {
  makeFolders(folder)
  const part = join(folder, `${names.lines}.part`)
  const file = openSync(part, 'w', 0o600)
  fchmodSync(file, 0o600)
  let isOpen = true
  const close = () => {
    if (isOpen) closeSync(file)
    isOpen = false
  }
  return {
    write: (lines: ReadonlyArray<string>): void => void writeSync(file, lines.map((line) => `${line}\n`).join('')),
    /** `without`: the chats whose lines must not stay. */
    finish: (junit: string, page: string, without: ReadonlySet<string>): void => {
      close()
      if (without.size > 0) writePrivateFile(part, linesWithout(part, without))
      writePrivateFile(join(folder, names.junit), junit)
      writePrivateFile(join(folder, names.page), page)
      renameSync(part, join(folder, names.lines))
    },
    /** Nothing of an incomplete report is left. Does nothing after `finish`. */
    discard: (): void => {
      close()
      rmSync(part, { force: true })
    },
  }
}

/** The accepted groups. Left: why the file cannot be used. A missing file has none. */
export const readAccepted = (path: string): E.Either<string, AcceptedFile> => {
  if (!existsSync(path)) return E.right({ accepted: [] })
  try {
    const decoded = AcceptedFile.decode(JSON.parse(readFileSync(path, 'utf8')))
    return E.mapLeft((errors: Parameters<typeof problemsOf>[0]) => `${path}: ${describe(problemsOf(errors))}`)(decoded)
  } catch (error) {
    return E.left(`${path}: ${error instanceof Error ? error.message : 'cannot be read'}`)
  }
}

/** The commit of the module's repository, with `-dirty` if it has changes. Undefined without git or a commit. */
export const commitOf = (module: string): string | undefined => {
  try {
    const options = ['describe', '--always', '--abbrev=40', '--dirty', '--exclude=*']
    return execFileSync('git', options, {
      cwd: dirname(module),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return undefined
  }
}
