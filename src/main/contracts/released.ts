import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { parseRelease, type Release } from '../../publishing/compatibility/release.ts'
import type { Schema } from '../../publishing/schema.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = 'contracts/published/schemas'

export const released = join(root, 'contracts/released.json')
export const publishedHere = join(root, folder)

const schemasOf = (files: ReadonlyArray<readonly [string, string]>) =>
  new Map(files.map(([file, text]) => [basename(file, '.json'), JSON.parse(text) as Schema]))

const fromFolder = (dir: string): Release => {
  const files = globSync('*.json', { cwd: dir }).sort()
  return { version: dir, schemas: schemasOf(files.map((file) => [file, readFileSync(join(dir, file), 'utf8')])) }
}

const git = (...args: ReadonlyArray<string>) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

const fromGit = (ref: string): Release => {
  const commit = git('rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`).trim()
  const files = git('ls-tree', '--name-only', commit, `${folder}/`).split('\n').filter(Boolean)
  return { version: ref, schemas: schemasOf(files.map((file) => [file, git('show', `${commit}:${file}`)])) }
}

/** Where a folder that was named has the schemas: a checkout, contracts/published, or its schemas themselves. */
const inside = (dir: string): string =>
  [join(dir, folder), join(dir, 'schemas')].find((each) => existsSync(each)) ?? dir

const read = (against: string): Release => {
  if (!existsSync(against)) return fromGit(against)
  return statSync(against).isDirectory() ? fromFolder(inside(against)) : parseRelease(readFileSync(against, 'utf8'))
}

/** The release that a file, a folder or a git tag holds; Left says why there is none. */
export const readRelease = (against: string): E.Either<string, Release> => {
  const release = E.tryCatch(
    () => read(against),
    (thrown) => (thrown instanceof Error ? (thrown.message.split('\n')[0] ?? '') : String(thrown)),
  )
  if (E.isLeft(release)) return E.left(`${against} is no release of the contracts: ${release.left}`)
  return release.right.schemas.size === 0 ? E.left(`${against} holds no schemas`) : release
}
