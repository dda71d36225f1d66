import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { temporaryFolder } from '../../support/folder.ts'
import { world } from '../../support/world.ts'
import { venv } from './python.ts'

const name = 'what the running bridge answers to schemathesis is documented: status, headers and body'
const document = fileURLToPath(new URL('../../../contracts/published/openapi.yaml', import.meta.url))
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
]
const seconds = 20

const fuzz = suite('HTTP, fuzzed against its OpenAPI')
const environment = await venv('schemathesis', fileURLToPath(new URL('schemathesis-requirements.txt', import.meta.url)))

if (E.isLeft(environment)) {
  console.log(`schemathesis is skipped: ${environment.left.message}`)
  fuzz.skip(name)
} else {
  fuzz(name, async () => {
    const here = await world()
    const { url } = await here.start(['ingress'])
    const dir = temporaryFolder()
    const [account] = here.accounts
    const tokenOf = (path: string, token = '') =>
      `[[operations]]\ninclude-path = "${path}"\nparameters = { "path.token" = "${token}" }\n`
    writeFileSync(
      join(dir, 'schemathesis.toml'),
      tokenOf('/webhooks/{token}', account?.webhooks?.token) + tokenOf('/bot/{token}', account?.bot?.token),
    )
    const child = spawn(
      environment.right.python,
      [
        environment.right.script('schemathesis'),
        '--config-file',
        join(dir, 'schemathesis.toml'),
        'run',
        document,
        '--url',
        url,
        '--checks',
        checks.join(),
        '--max-time',
        String(seconds),
        '--no-color',
        '--warnings',
        'off',
        '--generation-database',
        'none',
      ],
      { cwd: dir, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const [code] = await once(child, 'close')
    await here.stop()
    assert.is(code, 0, output)
    console.log(/^.*\d+ generated.*$/m.exec(output)?.[0].trim() ?? output)
  })
}

fuzz.run()
