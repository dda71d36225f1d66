// The consumers of the guides that must be compiled first, each in a copy as a team makes it.
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import { folder as examples } from '../../guides/examples.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { lacking, npmPackage } from './fetched.ts'

const published = fileURLToPath(new URL('../../../contracts/published/', import.meta.url))

export type Made = { readonly command: string; readonly args: ReadonlyArray<string>; readonly cwd: string }

const copied = (name: string): string => {
  const cwd = temporaryFolder()
  cpSync(join(examples, name), cwd, { recursive: true })
  return cwd
}

const inGo = async (): Promise<Made> => {
  const cwd = copied('go')
  const env = { ...process.env, SCHEMAS: join(published, 'schemas') }
  await promisify(execFile)('go', ['generate'], { cwd, env })
  await promisify(execFile)('go', ['vet', './...'], { cwd })
  await promisify(execFile)('go', ['build', '-o', 'program'], { cwd })
  return { command: './program', args: [], cwd }
}

const modelina = await npmPackage('@asyncapi/modelina', '5.10.1')
const inJava = async (): Promise<Made> => {
  const cwd = copied('java')
  if (E.isRight(modelina)) symlinkSync(join(dirname(modelina.right), 'node_modules'), join(cwd, 'node_modules'))
  const env = { ...process.env, ASYNCAPI: join(published, 'asyncapi.yaml') }
  execFileSync(process.execPath, ['generate.mjs'], { cwd, env })
  await promisify(execFile)('mvn', ['-q', '-B', 'compile'], { cwd })
  return { command: 'mvn', args: ['-q', '-B', 'exec:java'], cwd }
}

/** `tool`: why the consumer cannot run here. `make` compiles it. */
export const compiledConsumers = [
  { language: 'Go', tool: await lacking('go', ['version']), make: inGo },
  {
    language: 'Java',
    tool: E.isLeft(modelina) ? modelina.left.message : await lacking('mvn', ['--version']),
    make: inJava,
  },
]
for (const { language, tool } of compiledConsumers)
  if (tool !== undefined) console.log(`skipped: the consumer in ${language}: ${tool}`)
