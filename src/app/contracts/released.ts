import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { parseRelease, type Release } from '../../publishing/compatibility/release.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = 'contracts/published'

export const released = join(root, 'contracts/released.json')
export const publishedHere = join(root, folder)

/** The release that contracts/published is, by the names and texts of its files. */
const releaseOf = (version: string, files: ReadonlyArray<readonly [path: string, text: string]>): Release => {
  const schemas = files.filter(([path]) => path.includes('schemas/'))
  const topics = files.find(([path]) => basename(path) === 'topics.json')?.[1] ?? '{}'
  return {
    version,
    corrections: [],
    schemas: new Map(schemas.map(([path, text]) => [basename(path, '.json'), JSON.parse(text)])),
    topics: new Map(Object.entries(JSON.parse(topics))),
  }
}

const fromFolder = (dir: string): Release => {
  const paths = globSync(['topics.json', 'schemas/*.json'], { cwd: dir }).sort()
  return releaseOf(
    dir,
    paths.map((path) => [path, readFileSync(join(dir, path), 'utf8')]),
  )
}

const git = (...args: ReadonlyArray<string>) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

const fromGit = (ref: string): Release => {
  const commit = git('rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`).trim()
  const paths = git('ls-tree', '-r', '--name-only', commit, `${folder}/`)
    .split('\n')
    .filter((path) => path.endsWith('.json'))
  return releaseOf(
    ref,
    paths.map((path) => [path, git('show', `${commit}:${path}`)]),
  )
}

/** Where a folder that was named has the contracts: a checkout, or contracts/published itself. */
const inside = (dir: string): string => (existsSync(join(dir, folder)) ? join(dir, folder) : dir)

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
