import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { temporaryFolder } from '../support/folder.ts'

const command = fileURLToPath(new URL('../../src/app/livechat-bridge', import.meta.url))

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

launcher.run()
