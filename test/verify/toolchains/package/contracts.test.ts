import { existsSync, globSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { brokenLinks, emptyProject, programOfReadme } from './empty-project.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const tsc = join(root, 'node_modules/.bin/tsc')
const preload = fileURLToPath(new URL('loaded-packages.ts', import.meta.url))
const project = emptyProject('livechat-bridge-contracts')
const examples = ['bot', 'shop-bot', 'model-bot', 'model-bot.test', 'subscribe', 'enrich']

for (const name of examples)
  project.write(`${name}.ts`, readFileSync(join(root, `contracts/guides/examples/${name}.ts`), 'utf8'))
project.write(
  'test.ts',
  `import { handOver, text } from 'livechat-bridge-contracts/bot'
import { clientWrites, given } from 'livechat-bridge-contracts/bot/harness'
import schema from 'livechat-bridge-contracts/published/schemas/ChatClosed.v1.json' with { type: 'json' }
import { shopBot } from './shop-bot.ts'
await given(shopBot).when(clientWrites('Talk to a person')).says(text('One moment, please.'), handOver())
console.log('as expected', schema.$id)
`,
)
project.write(
  'wrong.ts',
  `import { text } from 'livechat-bridge-contracts/bot'\nexport const reply: number = text('Hi')\n`,
)

const compilerOptions = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node']
const typeCheck = (...names: ReadonlyArray<string>) =>
  project.run(tsc, ...compilerOptions, '--allowImportingTsExtensions', ...names)

type Locked = { readonly dependencies?: object; readonly optionalDependencies?: object }
const locked: Readonly<Record<string, Locked>> = JSON.parse(
  readFileSync(join(root, 'package-lock.json'), 'utf8'),
).packages

/** These packages and all their dependencies. */
const withDependencies = (names: ReadonlyArray<string>): ReadonlySet<string> => {
  const all = new Set(names)
  for (const name of all) {
    const { dependencies, optionalDependencies } = locked[`node_modules/${name}`] ?? {}
    for (const other of Object.keys({ ...dependencies, ...optionalDependencies })) all.add(other)
  }
  return all
}
/** The size of a folder on disk in blocks of 4 KiB, like `du`. Packages for other systems are missing and count 0. */
const bytesOnDisk = (dir: string) =>
  (existsSync(dir) ? [...globSync('**/*', { cwd: dir }), '.'] : []).reduce(
    (sum, file) => sum + 4096 * Math.ceil(lstatSync(join(dir, file)).size / 4096),
    0,
  )

const tarball = suite('the package of the contracts in an empty project')

tarball('the programs of the guides type-check unchanged, and a program with a mistake does not', () => {
  assert.is(typeCheck(...examples.map((name) => `${name}.ts`), 'test.ts'), '')
  assert.throws(() => typeCheck('wrong.ts'))
})

tarball('a bot is tested with it, and loads only dependencies of the package', () => {
  const lines = project.run(process.execPath, '--import', preload, 'test.ts').trim().split('\n')
  assert.is(lines[0], 'as expected urn:livechat:schemas:ChatClosed.v1')
  const named = withDependencies(Object.keys(project.manifest.dependencies))
  const loaded: ReadonlyArray<string> = JSON.parse(lines.at(-1) ?? '')
  assert.equal(
    loaded.filter((name) => !named.has(name)),
    ['livechat-bridge-contracts'],
  )
})

tarball("the example's own test passes with node --test", () =>
  assert.match(project.run(process.execPath, '--test', 'model-bot.test.ts'), /pass 2\b/),
)

tarball('an event is read with io-ts and fp-ts only, and mistakes are reported without values', () => {
  project.write('readme.ts', programOfReadme(project.place))
  assert.is(typeCheck('readme.ts'), '')
  const lines = project.run(process.execPath, '--import', preload, 'readme.ts').trim().split('\n')
  assert.match(lines[0] ?? '', 'data: expected an object')
  assert.equal(JSON.parse(lines.at(-1) ?? ''), ['fp-ts', 'io-ts', 'livechat-bridge-contracts'])
})

tarball('it requires Node 22 or later, does not include it, and needs 17 MB of disk with all dependencies', () => {
  const { engines, dependencies } = project.manifest
  const packages = withDependencies(Object.keys(dependencies))
  assert.is(engines.node, '>=22')
  assert.not.ok(packages.has('node'))
  const bytes = [...packages].reduce(
    (sum, name) => sum + bytesOnDisk(join(root, 'node_modules', name)),
    bytesOnDisk(project.place),
  )
  assert.ok(bytes < 17_500_000, `${bytes} bytes`)
})

tarball(
  'for a batch whose compression needs another package, the error names the package, and the batch is retried',
  () => {
    project.write(
      'compressed.ts',
      `import kafkajs from 'kafkajs'
await import('./node_modules/livechat-bridge-contracts/dist/src/bridge/kafka/compression.js')
const codecs = kafkajs.CompressionCodecs as Readonly<Record<number, () => { decompress: (bytes: Buffer) => Promise<Buffer> }>>
for (const number of [2, 3])
  await codecs[number]?.().decompress(Buffer.alloc(64)).catch((error: Error) => console.log(error.name, error.message))
`,
    )
    assert.equal(project.run(process.execPath, 'compressed.ts').trim().split('\n'), [
      'KafkaJSNotImplemented compression: the npm package snappy is not installed',
      'KafkaJSNotImplemented compression: the npm package lz4-napi is not installed',
    ])
  },
)

tarball('bundled packages are listed with their licences', () => {
  const licences = readFileSync(join(project.place, 'THIRD-PARTY-LICENSES'), 'utf8')
  for (const name of ['mdast-util-from-markdown', 'micromark']) assert.match(licences, `# ${name}\n`)
})

tarball('its texts link only to files of the package', () => assert.equal(brokenLinks(project.place), []))

tarball.run()
