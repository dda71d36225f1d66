// `npm pack` runs this before (`begin`) and after (`end`): for that time package.json and README.md are the package's own.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { folder, packedManifest } from './pack/manifest.ts'

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
  execFileSync(at('node_modules/.bin/tsc'), ['--project', at('src/app/pack/tsconfig.json')], { stdio: 'inherit' })
  for (const path of beside) cpSync(at(path), at(folder, path), { recursive: true })
  const manifest = packedManifest(JSON.parse(readFileSync(at('package.json'), 'utf8')))
  mkdirSync(at('.data'), { recursive: true })
  for (const name of swapped) cpSync(at(name), at('.data', name))
  writeFileSync(at('package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  cpSync(at('src/app/pack/README.md'), at('README.md'))
}

if (process.argv[2] === 'begin') begin()
else restore()
