import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'

const command = fileURLToPath(new URL('../../src/app/livechat-bridge', import.meta.url))

const setUp = fileURLToPath(new URL('../../src/app/set-up', import.meta.url))

const launcher = suite('the command')

launcher('runs in a new clone, where it first fills the compile cache', () => {
  const cache = join(temporaryFolder(), 'compile')
  const out = execFileSync('sh', [command, '--version'], {
    encoding: 'utf8',
    env: { ...process.env, NODE_COMPILE_CACHE: cache },
  })
  assert.match(out, /\d+\.\d+\.\d+/)
  assert.ok(existsSync(cache))
})

launcher('says that it still installs packages, as npm itself says nothing', async () => {
  const clone = temporaryFolder()
  mkdirSync(join(clone, 'src/app'), { recursive: true })
  mkdirSync(join(clone, 'bin'))
  mkdirSync(join(clone, 'node_modules/.bin'), { recursive: true })
  copyFileSync(setUp, join(clone, 'src/app/set-up'))
  for (const name of ['package.json', 'package-lock.json']) writeFileSync(join(clone, name), '{}')
  const program = (path: string, text: string) =>
    writeFileSync(join(clone, path), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  const go = join(clone, 'go')
  // npm takes until the test has read the line.
  program('bin/npm', `until [ -e '${go}' ]; do sleep 0.1; done`)
  program('node_modules/.bin/node', ':')
  const child = spawn('sh', [join(clone, 'src/app/set-up')], {
    env: { ...process.env, PATH: `${join(clone, 'bin')}:${process.env.PATH}` },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let err = ''
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk
  })
  await eventually('a second line', () => err.includes('still installing') || undefined)
  writeFileSync(go, '')
  const [code] = await once(child, 'close')
  assert.is(code, 0, err)
  assert.match(err, /^Installing dependencies …\n… still installing dependencies, 5 s\n/)
})

launcher.run()
