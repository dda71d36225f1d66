import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

type Exports = Readonly<Record<string, string>>

/** The fields of package.json that the package uses. The other fields are copied. */
export type Manifest = {
  readonly version: string
  readonly license: string
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Exports
  readonly dependencies: Readonly<Record<string, string>>
  readonly engines?: object
  readonly devDependencies?: object
  readonly scripts?: object
  readonly allowScripts?: object
  /** Names of modules for tests: the console's script has them as data. */
  readonly imports?: object
}

/** Users import the package with their own Node, not with the one that the commands install. */
const engines = { node: '>=22' }

/** The folder that has the files of the package, under the same paths. */
const folder = 'dist'

const moved = (path: string, to = folder) => path.replace(/^(\.\/)?/, `./${to}/`)

/** Where source files are compiled to. Other files are unchanged. */
const targets = (exports: Exports, to = folder) =>
  Object.fromEntries(
    Object.entries(exports).map(([name, path]) => {
      const place = moved(path, to)
      const compiled = { types: place.replace(/\.ts$/, '.d.ts'), default: place.replace(/\.ts$/, '.js') }
      return [name, path.endsWith('.ts') ? compiled : place]
    }),
  )

/**
 * The manifest of the package. The same names refer to the compiled files, because Node does not strip types below
 * node_modules. In the sources they refer to the .ts files, so the package's own name works there without a build.
 */
const packedManifest = (manifest: Manifest): object => {
  const { devDependencies, scripts, allowScripts, bin, exports, imports, ...rest } = manifest
  return {
    ...rest,
    engines,
    bin: Object.fromEntries(Object.entries(bin).map(([name, path]) => [name, moved(path)])),
    exports: targets(exports),
  }
}

// `npm pack` runs this before (`begin`) and after (`end`). During that time package.json and README.md are the
// package's own.

const root = fileURLToPath(new URL('../../..', import.meta.url))
const at = (...path: ReadonlyArray<string>) => join(root, ...path)
/** The README of the clone refers to files that are not in the package. */
const swapped = ['package.json', 'README.md']

/** Files that the compiled files read, under the same paths. */
const beside = [
  'contracts/published',
  'contracts/released.json',
  'docker/pom.xml',
  'docker/kafka-jars.sha256',
  'docker/requirements.txt',
  'src/app/livechat-bridge',
  'src/console/browser',
  // What the browser's code imports.
  'src/console/pages',
  'src/bridge/domain/person/ids.ts',
  'src/bridge/domain/person/phone.ts',
  'src/bridge/operations/progress.ts',
  'src/bridge/privacy/receipt-words.ts',
  'src/bridge/shared/json.ts',
  'src/bridge/shared/text.ts',
  'src/bridge/shared/time.ts',
]

/** Restores the clone's own files, also after a run that was killed before `end`. */
const restore = () => {
  for (const name of swapped) if (existsSync(at('.data', name))) renameSync(at('.data', name), at(name))
}

const compile = (project: string, to: string) =>
  execFileSync(at('node_modules/.bin/tsc'), ['--project', at('src/tools/release/pack', project), '--outDir', to], {
    stdio: 'inherit',
  })
const manifestOf = (...path: ReadonlyArray<string>) => JSON.parse(readFileSync(at(...path, 'package.json'), 'utf8'))
const write = (path: string, manifest: object) => writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`)

const begin = () => {
  restore()
  rmSync(at(folder), { recursive: true, force: true })
  compile('tsconfig.json', at(folder))
  for (const path of beside) cpSync(at(path), at(folder, path), { recursive: true })
  const manifest = packedManifest(manifestOf())
  mkdirSync(at('.data'), { recursive: true })
  for (const name of swapped) cpSync(at(name), at('.data', name))
  write(at('package.json'), manifest)
  cpSync(at('src/tools/release/pack/README.md'), at('README.md'))
}

const importedIn = (dir: string): ReadonlySet<string> =>
  new Set(
    globSync('**/*.js', { cwd: dir }).flatMap((file) =>
      [
        ...readFileSync(join(dir, file), 'utf8').matchAll(/^(?:import|export)\b.*?'((?:@[^/']+\/)?[^./'@][^/']*)/gm),
      ].map(([, name = '']) => name),
    ),
  )

/** Files that use a small part of large packages (7 MB on disk together). That part is put into the file. */
const bundled = ['markdown.js']

/** Bundles these files in place, and writes the licences of the bundled packages beside them. */
const bundle = (dir: string) => {
  const adapters = join(dir, folder, 'src/bridge/adapters')
  const metafile = join(dir, 'meta.json')
  const options = ['--bundle', '--format=esm', '--platform=node', '--allow-overwrite', '--log-level=warning']
  symlinkSync(at('node_modules'), join(dir, 'node_modules'))
  execFileSync(at('node_modules/.bin/esbuild'), [...bundled, ...options, '--outdir=.', `--metafile=${metafile}`], {
    cwd: adapters,
    stdio: 'inherit',
  })
  const inputs = Object.keys(JSON.parse(readFileSync(metafile, 'utf8')).inputs)
  const packages = new Set(inputs.flatMap((path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? []))
  const licences = [...packages].flatMap((name) => {
    const place = at('node_modules', name)
    const texts = globSync('{LICENSE,license,LICENCE}*', { cwd: place }).map((file) =>
      readFileSync(join(place, file), 'utf8'),
    )
    if (texts.length === 0) throw new Error(`${name} has no licence`)
    return [`# ${name}`, ...texts]
  })
  writeFileSync(join(dir, 'THIRD-PARTY-LICENSES'), licences.join('\n\n'))
  for (const path of [metafile, join(dir, 'node_modules')]) rmSync(path)
}

/** An SDK of the bot's process must find the same API, whichever version its author has. */
const shared = { '@opentelemetry/api': '^1.3.0' }

/**
 * Packs the contracts with the bot kit as a separate package into a folder, for users who run no bridge. It
 * depends on what its files import, in the versions of the bridge.
 */
const packContracts = (destination: string) => {
  const dir = mkdtempSync(join(tmpdir(), 'livechat-bridge-contracts-'))
  const { version, license, dependencies }: Manifest = manifestOf()
  const { private: _, exports, ...rest } = manifestOf('contracts')
  compile('contracts.tsconfig.json', join(dir, folder))
  bundle(dir)
  const imported = importedIn(join(dir, folder))
  cpSync(at('contracts/published'), join(dir, folder, 'contracts/published'), { recursive: true })
  cpSync(at('LICENSE'), join(dir, 'LICENSE'))
  cpSync(at('src/tools/release/pack/contracts.README.md'), join(dir, 'README.md'))
  write(join(dir, 'package.json'), {
    ...rest,
    version,
    license,
    engines,
    exports: targets(exports, `${folder}/contracts`),
    dependencies: Object.fromEntries(
      Object.entries({ ...dependencies, ...shared }).filter(([name]) => imported.has(name)),
    ),
  })
  execFileSync('npm', ['pack', '--pack-destination', destination], { cwd: dir, stdio: 'inherit' })
  rmSync(dir, { recursive: true })
}

const [, , step, destination = process.cwd()] = process.argv
if (step === 'contracts') packContracts(destination)
else if (step === 'begin') begin()
else restore()
