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

/** What the package needs of package.json; the rest is passed on. */
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
}

/** Whoever imports the package does so on a Node of his own, and not on the one that the commands bring along. */
const engines = { node: '>=22' }

/** The folder that holds, under the same paths, what the package is made of. */
export const folder = 'dist'

const moved = (path: string, to = folder) => path.replace(/^(\.\/)?/, `./${to}/`)

/** Where source files are compiled to. Anything else is as it is. */
const targets = (exports: Exports, to = folder) =>
  Object.fromEntries(
    Object.entries(exports).map(([name, path]) => {
      const place = moved(path, to)
      const compiled = { types: place.replace(/\.ts$/, '.d.ts'), default: place.replace(/\.ts$/, '.js') }
      return [name, path.endsWith('.ts') ? compiled : place]
    }),
  )

/**
 * The manifest of the package: the same names, but from the compiled files, since Node strips no types below node_modules. In
 * the sources they stand for the .ts files, so that the package's own name works there without any build.
 */
const packedManifest = (manifest: Manifest): object => {
  const { devDependencies, scripts, allowScripts, bin, exports, ...rest } = manifest
  return {
    ...rest,
    engines,
    bin: Object.fromEntries(Object.entries(bin).map(([name, path]) => [name, moved(path)])),
    exports: targets(exports),
  }
}

// `npm pack` runs this before (`begin`) and after (`end`): for that time package.json and README.md are the package's own.

const root = fileURLToPath(new URL('../..', import.meta.url))
const at = (...path: ReadonlyArray<string>) => join(root, ...path)
/** The README in the clone leads to files that are not in the package. */
const swapped = ['package.json', 'README.md']

/** What is read beside the compiled files, by the same paths. */
const beside = [
  'contracts/published',
  'contracts/released.json',
  'docker/pom.xml',
  'docker/kafka-jars.sha256',
  'docker/requirements.txt',
  'src/app/livechat-bridge',
  'src/console/browser',
]

/** Puts the clone's own files back; also after a run that was killed in between. */
const restore = () => {
  for (const name of swapped) if (existsSync(at('.data', name))) renameSync(at('.data', name), at(name))
}

const compile = (project: string, to: string) =>
  execFileSync(at('node_modules/.bin/tsc'), ['--project', at('src/publishing/pack', project), '--outDir', to], {
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
  cpSync(at('src/publishing/pack/README.md'), at('README.md'))
}

const importedIn = (dir: string): ReadonlySet<string> =>
  new Set(
    globSync('**/*.js', { cwd: dir }).flatMap((file) =>
      [
        ...readFileSync(join(dir, file), 'utf8').matchAll(/^(?:import|export)\b.*?'((?:@[^/']+\/)?[^./'@][^/']*)/gm),
      ].map(([, name = '']) => name),
    ),
  )

/** Files that use a small part of large packages, 7 MB of disk together: that part is put into the file. */
const bundled = ['markdown.js', 'tracing.js']

/** Bundles these files in place, beside the licences of what is in them. */
const bundle = (dir: string) => {
  const domain = join(dir, folder, 'src/domain')
  const metafile = join(dir, 'meta.json')
  const options = ['--bundle', '--format=esm', '--platform=node', '--allow-overwrite', '--log-level=warning']
  symlinkSync(at('node_modules'), join(dir, 'node_modules'))
  execFileSync(at('node_modules/.bin/esbuild'), [...bundled, ...options, '--outdir=.', `--metafile=${metafile}`], {
    cwd: domain,
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

/**
 * Packs the contracts with the bot kit as a package of their own, into the present folder: for those who run no bridge. It depends
 * on what its files import, in the versions of the bridge.
 */
const packContracts = () => {
  const dir = mkdtempSync(join(tmpdir(), 'livechat-bridge-contracts-'))
  const { version, license, dependencies }: Manifest = manifestOf()
  const { private: _, exports, ...rest } = manifestOf('contracts')
  compile('contracts.tsconfig.json', join(dir, folder))
  bundle(dir)
  const imported = importedIn(join(dir, folder))
  cpSync(at('contracts/published'), join(dir, folder, 'contracts/published'), { recursive: true })
  cpSync(at('LICENSE'), join(dir, 'LICENSE'))
  cpSync(at('src/publishing/pack/contracts.README.md'), join(dir, 'README.md'))
  write(join(dir, 'package.json'), {
    ...{ ...rest, version, license, engines },
    exports: targets(exports, `${folder}/contracts`),
    dependencies: Object.fromEntries(Object.entries(dependencies).filter(([name]) => imported.has(name))),
  })
  execFileSync('npm', ['pack', '--pack-destination', process.cwd()], { cwd: dir, stdio: 'inherit' })
  rmSync(dir, { recursive: true })
}

if (process.argv[2] === 'contracts') packContracts()
else if (process.argv[2] === 'begin') begin()
else restore()
