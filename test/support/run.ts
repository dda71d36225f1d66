import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import { startEmbedded } from '../../src/embedded/servers.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const bin = (name: string) => join(root, 'node_modules', '.bin', name)

type Outcome = { readonly passed: number; readonly failed: number; readonly skipped: number }

const run = (command: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = process.env) =>
  new Promise<{ readonly code: number; readonly output: string }>((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      process.stdout.write(chunk)
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })

/** A program that ends with 0 when all is well, counted as one test. */
const check = async (
  name: string,
  command: string,
  args: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Outcome> => {
  const { code } = await run(command, args, env)
  console.log(`${code === 0 ? '✓' : '✘'} ${name}`)
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 }
}

/** What uvu counted. It hides a throwing hook, and ends well when a file dies early: both are failures here. */
const counted = (output: string, code: number): Outcome => {
  const plain = stripVTControlCharacters(output)
  const number = (name: string) => Number(new RegExp(`^\\s*${name}:\\s+(\\d+)`, 'm').exec(plain)?.[1] ?? Number.NaN)
  const [total, passed, skipped] = [number('Total'), number('Passed'), number('Skipped')]
  if (![total, passed, skipped].every(Number.isInteger)) return { passed: 0, failed: 1, skipped: 0 }
  const failed = total - passed
  return { passed, skipped, failed: code !== 0 && failed === 0 ? 1 : failed }
}

const dataDir = await mkdtemp(join(tmpdir(), 'livechat-bridge-test-'))
const servers = await startEmbedded({
  dataDir,
  cacheDir: join(root, '.data', 'cache'),
  kafka: process.env.KAFKA_BROKERS === undefined,
  mongo: process.env.MONGODB_URL === undefined,
  say: (line) => console.log(line),
  ...(process.env.MONGOD_BINARY !== undefined && { mongodBinary: process.env.MONGOD_BINARY }),
})
if (E.isLeft(servers)) {
  console.error(servers.left.message)
  console.log('0 passed, 1 failed')
  process.exit(1)
}

const { brokers, mongoUrl, stop } = servers.right
const addresses = {
  ...process.env,
  ...(brokers && { KAFKA_BROKERS: brokers.join(',') }),
  ...(mongoUrl !== undefined && { MONGODB_URL: mongoUrl }),
}
const tooLongMs = 25 * 60 * 1000
const interrupted = new Promise<Outcome>((resolve) => {
  setTimeout(() => {
    console.error(`The tests have not ended after ${tooLongMs / 60_000} minutes.`)
    resolve({ passed: 0, failed: 1, skipped: 0 })
  }, tooLongMs)
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => resolve({ passed: 0, failed: 1, skipped: 0 }))
})

const chosen = process.argv[2]
const suites = async (): Promise<Outcome> => {
  const pattern = chosen ?? '\\.test\\.ts$'
  const { code, output } = await run(
    process.execPath,
    [join(root, 'node_modules/uvu/bin.js'), 'test', pattern],
    addresses,
  )
  return counted(output, code)
}
const all = async () => {
  const outcomes = [
    await check('types', bin('tsc'), ['--noEmit']),
    await check('format and lint', bin('biome'), ['ci', '--error-on-warnings']),
    await suites(),
    await check(
      'what the tests left on the servers is as the published schemas say',
      process.execPath,
      ['test/truth/check.ts', ...(chosen === undefined ? ['--all'] : [])],
      addresses,
    ),
  ]
  const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((total, outcome) => total + of(outcome), 0)
  return {
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed),
    skipped: sum(({ skipped }) => skipped),
  }
}

const { passed, failed, skipped } = await Promise.race([all(), interrupted])
await stop()
await rm(dataDir, { recursive: true, force: true })
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exit(failed === 0 ? 0 : 1)
