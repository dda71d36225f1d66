import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runCommand } from '../support/command.ts'
import { temporaryFolder } from '../support/folder.ts'

const published = fileURLToPath(new URL('../../contracts/published', import.meta.url))
const dir = temporaryFolder()
const before = join(dir, 'contracts/published')
cpSync(published, before, { recursive: true })

/** The released schema had one more field, and one field of today was optional. */
const file = join(before, 'schemas/ChatClosed.v1.json')
const { properties, required, ...rest } = JSON.parse(readFileSync(file, 'utf8'))
const old = { ...rest, properties: { ...properties, topic: { type: 'string' } }, required: required.slice(1) }
writeFileSync(file, JSON.stringify(old))

const topicsFile = join(before, 'topics.json')
const topics = JSON.parse(readFileSync(topicsFile, 'utf8'))
writeFileSync(topicsFile, JSON.stringify({ ...topics, chats: { ...topics.chats, key: '<chat id>' } }))

const git = (...args: ReadonlyArray<string>) =>
  execFileSync('git', ['-C', dir, '-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args])
git('init', '--quiet')
git('add', '.')
git('commit', '--quiet', '--message', 'Released')
git('tag', 'v1')

const check = (...args: ReadonlyArray<string>) =>
  runCommand(['contracts', 'check', ...args], { GIT_DIR: join(dir, '.git') })

const breaks = [
  `ChatClosed.v1: ${required[0]}: became required. It breaks new readers: old values do not fit.`,
  'ChatClosed.v1: topic: field removed. It breaks every reader and writer.',
  'topic chats: key changed from <chat id> to <account id>/<chat id>. It breaks every reader and writer.',
]

const contracts = suite('contracts check')

contracts('reports how many contracts are compatible with the release', async () => {
  const { code, out, err } = await check()
  assert.equal([code, err], [0, ''])
  assert.match(out, /^\d+ topics and \d+ schemas are compatible with 0\.\d+\.\d+, \d+ schemas are new\.\n$/)
})

for (const [what, against] of [
  ['a git tag', 'v1'],
  ['a copy of contracts/published', before],
] as const)
  contracts(`names each breaking change since ${what}, and exits with 1`, async () => {
    const { code, out, err } = await check('--against', against)
    assert.equal(out.trim().split('\n').sort(), breaks)
    assert.is(code, 1)
    assert.match(err, /^3 breaking changes since .+\.\n$/)
  })

contracts('prints the same result as JSON', async () => {
  const { code, out, err } = await check('--against', before, '--json')
  const { breakingChanges, ...compared } = JSON.parse(out)
  assert.equal([code, err], [1, ''])
  assert.equal(compared, { version: before, topics: compared.topics, schemas: compared.schemas, newSchemas: 0 })
  assert.ok(compared.topics > 0 && compared.schemas > 0)
  assert.equal(breakingChanges.map(({ schema }: { readonly schema: string }) => schema).sort(), [
    'ChatClosed.v1',
    'ChatClosed.v1',
    'topic chats',
  ])
  assert.equal(Object.keys(breakingChanges[0]).sort(), ['breaks', 'change', 'path', 'schema'])
})

contracts('reports if there is no release to compare with', async () => {
  const { code, out, err } = await check('--against', 'v2')
  assert.equal([code, out], [1, ''])
  assert.match(err, /^v2 is no release of the contracts: /)
})

contracts.run()
