import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { changelogSection, componentsOf, kitOf, releaseProblemsOf } from '../../../../src/tools/release/release.ts'
import { release } from './empty-project.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const { version, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))

const releases = suite('a release')

const changelog =
  '# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-12-01)\n\n- Something new.\n\n## 0.1.0\n\n- Something.\n'
const ready = {
  version: '0.2.0',
  kit: { version: '0.2.0' },
  changelog,
  uncommitted: '',
  commit: 'c1',
  tagged: undefined,
}
const rows: ReadonlyArray<
  readonly [title: string, given: Partial<Parameters<typeof releaseProblemsOf>[0]>, then: ReadonlyArray<string>]
> = [
  ['everything is committed and described', {}, []],
  ['the tag is on this commit', { tagged: 'c1' }, []],
  [
    'the tag is on another commit',
    { tagged: 'c0' },
    ['the tag v0.2.0 is on another commit: increment the version in package.json'],
  ],
  ['a file is changed', { uncommitted: ' M README.md' }, ['some files are not committed']],
  [
    'the kit in Python has another version',
    { kit: { version: '0.1.0' } },
    ['contracts/bot/python/pyproject.toml has the version 0.1.0'],
  ],
  [
    'the version has no section',
    { version: '0.3.0', kit: { version: '0.3.0' } },
    ['CHANGELOG.md has no section "0.3.0"'],
  ],
  [
    'changes wait for a version',
    { changelog: changelog.replace('## Unreleased\n', '## Unreleased\n\n- New.\n') },
    ['CHANGELOG.md has changes under "Unreleased"'],
  ],
]
for (const [title, given, then] of rows)
  releases(title, () => assert.equal(releaseProblemsOf({ ...ready, ...given }), then))

releases('the version of the package is in the changelog', () => {
  assert.ok(changelogSection(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version))
})

releases('is built twice with equal bytes, with the list of every package that it depends on, and checksums', () => {
  const { said, folder } = release()
  assert.match(said, 'Two builds have equal bytes.')
  const sbom = `livechat-bridge-${version}.cdx.json`
  const wheel = `livechat_bot-${version}-py3-none-any.whl`
  const files = [sbom, `livechat-bridge-${version}.tgz`, `livechat-bridge-contracts-${version}.tgz`, wheel]
  assert.equal(readdirSync(folder).sort(), ['SHA256SUMS', ...files])
  execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: folder })

  const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8')
  const { components } = JSON.parse(readFileSync(join(folder, sbom), 'utf8'))
  const named = (list: ReadonlyArray<{ name: string; group?: string; version: string; components?: [] }>): string[] =>
    list.flatMap(({ name, group, version, components = [] }) => [
      `${group ? `${group}/` : ''}${name}@${version}`,
      ...named(components),
    ])
  const listed = named(components)
  for (const [name, wanted] of Object.entries(dependencies)) assert.ok(listed.includes(`${name}@${wanted}`), name)
  const needed = Object.values<{ dev?: boolean; version: string }>(packages).filter(({ dev }) => dev !== true)
  assert.ok(listed.length >= needed.length - 1, `${listed.length} of ${needed.length} packages`)
  const python = components.find(({ purl }: { purl?: string }) => purl?.startsWith('pkg:pypi/livechat-bot@'))
  assert.match(sums, `${python.hashes[0].content}  ${wheel}`)
})

releases('the SBOM has the wheel by its checksum, and the packages that the wheel needs', () => {
  const kit = kitOf(
    '[project]\nname = "kit"\nversion = "1.2.3"\nlicense = "Apache-2.0"\ndependencies = ["kafka>=0.12", "plain"]\n',
  )
  const summary = componentsOf(kit, 'abc').map((component) => {
    const { purl, hashes, properties } = component as Record<string, unknown>
    return [purl, hashes ?? properties]
  })
  assert.equal(summary, [
    ['pkg:pypi/kit@1.2.3', [{ alg: 'SHA-256', content: 'abc' }]],
    ['pkg:pypi/kafka', [{ name: 'requirement', value: 'kafka>=0.12' }]],
    ['pkg:pypi/plain', [{ name: 'requirement', value: 'plain' }]],
  ])
})

releases.run()
