import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

type Exports = Readonly<Record<string, string>>

/** What the package needs of package.json; the rest is passed on. */
export type Manifest = {
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Exports
  readonly engines?: object
  readonly devDependencies?: object
  readonly scripts?: object
  readonly allowScripts?: object
}

/** Whoever imports the package does so on a Node of his own, and not on the one that the commands bring along. */
const engines = { node: '>=22' }

/** The folder that holds, under the same paths, what the package is made of. */
export const folder = 'dist'

const moved = (path: string) => path.replace(/^(\.\/)?/, `./${folder}/`)

/** Where a source file is compiled to. Anything else is as it is. */
const target = (path: string) =>
  path.endsWith('.ts')
    ? { types: moved(path).replace(/\.ts$/, '.d.ts'), default: moved(path).replace(/\.ts$/, '.js') }
    : moved(path)

/**
 * The manifest of the package: the same names, but from the compiled files, since Node strips no types below node_modules. In
 * the sources they stand for the .ts files, so that the package's own name works there without any build.
 */
export const packedManifest = (manifest: Manifest): object => {
  const { devDependencies, scripts, allowScripts, bin, exports, ...rest } = manifest
  return {
    ...rest,
    engines,
    bin: Object.fromEntries(Object.entries(bin).map(([name, path]) => [name, moved(path)])),
    exports: Object.fromEntries(Object.entries(exports).map(([name, path]) => [name, target(path)])),
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
]

/** Puts the clone's own files back; also after a run that was killed in between. */
const restore = () => {
  for (const name of swapped) if (existsSync(at('.data', name))) renameSync(at('.data', name), at(name))
}

const begin = () => {
  restore()
  rmSync(at(folder), { recursive: true, force: true })
  execFileSync(at('node_modules/.bin/tsc'), ['--project', at('src/publishing/pack/tsconfig.json')], {
    stdio: 'inherit',
  })
  for (const path of beside) cpSync(at(path), at(folder, path), { recursive: true })
  const manifest = packedManifest(JSON.parse(readFileSync(at('package.json'), 'utf8')))
  mkdirSync(at('.data'), { recursive: true })
  for (const name of swapped) cpSync(at(name), at('.data', name))
  writeFileSync(at('package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  cpSync(at('src/publishing/pack/README.md'), at('README.md'))
}

if (process.argv[2] === 'begin') begin()
else restore()
