// `npm pack` runs this before (`begin`) and after (`end`): for that time package.json is the package's own.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { folder, packedManifest } from './pack/manifest.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const at = (...path: ReadonlyArray<string>) => join(root, ...path)
const [manifest, kept] = [at('package.json'), at('.data', 'package.json')]

/** What is read beside the compiled files, by the same paths. */
const beside = [
  'contracts/published',
  'contracts/released.json',
  'docker/pom.xml',
  'docker/kafka-jars.sha256',
  'docker/requirements.txt',
  'src/app/livechat-bridge',
]

/** Puts package.json back; also after a run that was killed in between. */
const restore = () => {
  if (existsSync(kept)) renameSync(kept, manifest)
}

const begin = () => {
  restore()
  rmSync(at(folder), { recursive: true, force: true })
  execFileSync(at('node_modules/.bin/tsc'), ['--project', at('src/app/pack/tsconfig.json')], { stdio: 'inherit' })
  for (const path of beside) cpSync(at(path), at(folder, path), { recursive: true })
  const source = readFileSync(manifest, 'utf8')
  mkdirSync(at('.data'), { recursive: true })
  writeFileSync(kept, source)
  writeFileSync(manifest, `${JSON.stringify(packedManifest(JSON.parse(source)), null, 2)}\n`)
}

if (process.argv[2] === 'begin') begin()
else restore()
