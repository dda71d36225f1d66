import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

// `npm run release` builds what a version consists of: both packages, the list of everything that they depend on (an
// SBOM in CycloneDX's format), and the checksums of these files. `--draft` builds it from uncommitted files too.

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { version }: { readonly version: string } = JSON.parse(read('package.json'))

const run = (command: string, args: ReadonlyArray<string>) =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

/** What a changelog says below a version's heading, or undefined if it has no such heading. */
export const changesOf = (changelog: string, heading: string): string | undefined =>
  changelog
    .split(/^## /m)
    .find((section) => section.split('\n', 1)[0]?.split(' ')[0] === heading)
    ?.replace(/^.*\n/, '')
    .trim()

/** Why this version must not be released. */
export const problemsOf = (state: {
  readonly version: string
  readonly changelog: string
  readonly uncommitted: string
  readonly commit: string
  /** The commit of the tag of this version, if there is one. */
  readonly tagged: string | undefined
}): ReadonlyArray<string> => [
  ...(state.uncommitted === '' ? [] : ['some files are not committed']),
  ...(changesOf(state.changelog, state.version) ? [] : [`CHANGELOG.md has no section "${state.version}"`]),
  ...(changesOf(state.changelog, 'Unreleased') ? ['CHANGELOG.md has changes under "Unreleased"'] : []),
  ...(state.tagged === undefined || state.tagged === state.commit
    ? []
    : [`the tag v${state.version} is on another commit: increment the version in package.json`]),
]

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** The checksums of what it builds in the folder, a line for each file. */
const build = (folder: string): ReadonlyArray<string> => {
  run('npm', ['--loglevel=error', 'pack', '--pack-destination', folder])
  run('npm', ['--loglevel=error', 'run', 'pack:contracts', '--', folder])
  const sbom = join(folder, `livechat-bridge-${version}.cdx.json`)
  const options = ['--package-lock-only', '--omit=dev', '--output-reproducible', `--output-file=${sbom}`]
  run(join(root, 'node_modules/.bin/cyclonedx-npm'), options)
  return readdirSync(folder)
    .sort()
    .map((name) => `${sha256(readFileSync(join(folder, name)))}  ${name}\n`)
}

/** What git says of the files, the present commit and the tag of this version. */
const stateOfGit = () => {
  const tag = run('git', ['for-each-ref', '--format=%(*objectname) %(objectname)', `refs/tags/v${version}`])
  return {
    uncommitted: run('git', ['status', '--porcelain']).trim(),
    commit: run('git', ['rev-parse', 'HEAD']).trim(),
    tagged: tag.trim().split(' ')[0] || undefined,
  }
}

const fail = (problems: ReadonlyArray<string>) => {
  for (const problem of problems) console.error(`release: ${problem}`)
  process.exit(1)
}

const release = ({ draft }: { readonly draft: boolean }) => {
  const problems = draft ? [] : problemsOf({ version, changelog: read('CHANGELOG.md'), ...stateOfGit() })
  if (problems.length > 0) fail(problems)
  const folder = join(root, '.data/release', version)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const sums = build(folder)
  const again = mkdtempSync(join(tmpdir(), 'livechat-bridge-release-'))
  const others = build(again)
  rmSync(again, { recursive: true })
  const different = sums.filter((line) => !others.includes(line))
  if (different.length > 0) fail(different.map((line) => `two builds of one file differ: ${line.trim()}`))
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''))
  process.stdout.write(`${relative(root, folder)}/\n${sums.join('')}Two builds have equal bytes.\n`)
}

if (import.meta.main) release({ draft: process.argv.includes('--draft') })
