import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

// `npm run release` builds what a version consists of: both npm packages, the wheel of the bot kit in Python, the list of
// everything that they depend on (an SBOM in CycloneDX's format), and the checksums of these files. `--draft` builds it
// from uncommitted files too.

const root = fileURLToPath(new URL('../../..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { version }: { readonly version: string } = JSON.parse(read('package.json'))

const run = (command: string, args: ReadonlyArray<string>) =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

/** What a changelog says below a version's heading, or undefined if it has no such heading. */
export const changelogSection = (changelog: string, heading: string): string | undefined =>
  changelog
    .split(/^## /m)
    .find((section) => section.split('\n', 1)[0]?.split(' ')[0] === heading)
    ?.replace(/^.*\n/, '')
    .trim()

/** The bot kit in Python, as its `pyproject.toml` describes it. */
export type Kit = {
  readonly name: string
  readonly version: string
  readonly license: string
  /** As pip writes them: `aiokafka>=0.12`. */
  readonly dependencies: ReadonlyArray<string>
}

export const kitOf = (toml: string): Kit => {
  const value = (name: string) => JSON.parse(new RegExp(`^${name} = (.*)$`, 'm').exec(toml)?.[1] ?? 'null')
  return {
    name: value('name'),
    version: value('version'),
    license: value('license'),
    dependencies: value('dependencies'),
  }
}

/** What the SBOM says of the wheel. The kit names ranges of versions, so its packages have none here. */
export const componentsOf = ({ name, version, license, dependencies }: Kit, hash: string): ReadonlyArray<object> => [
  {
    type: 'library',
    name,
    version,
    'bom-ref': `${name}@${version}`,
    hashes: [{ alg: 'SHA-256', content: hash }],
    licenses: [{ license: { id: license } }],
    purl: `pkg:pypi/${name}@${version}`,
  },
  ...dependencies.map((requirement) => {
    const [needed = requirement] = requirement.split(/[^\w.-]/, 1)
    return {
      type: 'library',
      name: needed,
      'bom-ref': `${name}@${version}|${needed}`,
      purl: `pkg:pypi/${needed}`,
      properties: [{ name: 'requirement', value: requirement }],
    }
  }),
]

/** Why this version must not be released. */
export const releaseProblemsOf = (state: {
  readonly version: string
  readonly kit: Pick<Kit, 'version'>
  readonly changelog: string
  readonly uncommitted: string
  readonly commit: string
  /** The commit of the tag of this version, if there is one. */
  readonly tagged: string | undefined
}): ReadonlyArray<string> => [
  ...(state.uncommitted === '' ? [] : ['some files are not committed']),
  ...(state.kit.version === state.version
    ? []
    : [`contracts/bot/python/pyproject.toml has the version ${state.kit.version}`]),
  ...(changelogSection(state.changelog, state.version) ? [] : [`CHANGELOG.md has no section "${state.version}"`]),
  ...(changelogSection(state.changelog, 'Unreleased') ? ['CHANGELOG.md has changes under "Unreleased"'] : []),
  ...(state.tagged === undefined || state.tagged === state.commit
    ? []
    : [`the tag v${state.version} is on another commit: increment the version in package.json`]),
]

const kitFolder = 'contracts/bot/python'
const kit = kitOf(read(join(kitFolder, 'pyproject.toml')))
const pipOptions = ['--disable-pip-version-check', '--no-input']

const addToSbom = (path: string, kit: Kit, hash: string) => {
  const sbom = JSON.parse(readFileSync(path, 'utf8'))
  const added = componentsOf(kit, hash)
  const [wheel, ...needed] = added.map((component) => (component as { 'bom-ref': string })['bom-ref'])
  const dependencies = [...sbom.dependencies, { ref: wheel, dependsOn: needed }, ...needed.map((ref) => ({ ref }))]
  writeFileSync(
    path,
    `${JSON.stringify({ ...sbom, components: [...sbom.components, ...added], dependencies }, null, 2)}\n`,
  )
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** The checksums of what it builds in the folder, a line for each file. */
const build = (folder: string): ReadonlyArray<string> => {
  run('npm', ['--loglevel=error', 'pack', '--pack-destination', folder])
  run('npm', ['--loglevel=error', 'run', 'pack:contracts', '--', folder])
  const sbom = join(folder, `livechat-bridge-${version}.cdx.json`)
  const options = ['--package-lock-only', '--omit=dev', '--output-reproducible', `--output-file=${sbom}`]
  run(join(root, 'node_modules/.bin/cyclonedx-npm'), options)
  run('python3', ['-m', 'pip', '--quiet', ...pipOptions, 'wheel', '--no-deps', '--wheel-dir', folder, kitFolder])
  const wheel = readdirSync(folder).find((name) => name.endsWith('.whl')) ?? 'no wheel'
  addToSbom(sbom, kit, sha256(readFileSync(join(folder, wheel))))
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
  const problems = draft ? [] : releaseProblemsOf({ version, kit, changelog: read('CHANGELOG.md'), ...stateOfGit() })
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
