// A company's schema registry gets the schemas, and answers clients in Confluent's way. The registry is Apicurio's.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import Ajv from 'ajv'
import addFormats from 'ajv-formats'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DomainEvent } from '../../../contracts/events/index.ts'
import { anyFree } from '../../../src/tools/embedded/port.ts'
import { exampleOf } from '../../../src/tools/publishing/examples.ts'
import { runCommand } from '../../support/command.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { javaOf, mavenArchive } from './fetched.ts'

const java = await javaOf(25)
const apicurio = E.isLeft(java) ? java : await mavenArchive('io.apicurio:apicurio-registry-app:3.3.3:tar.gz:all')
if (E.isLeft(apicurio)) console.log(`skipped: the schema registry: ${apicurio.left.message}`)

const registry = suite('the schema registry of Apicurio')
const test = E.isRight(apicurio) ? registry : registry.skip

const start = async () => {
  const port = await anyFree()
  const settings = { 'http.host': '127.0.0.1', 'http.port': port, 'management.enabled': false }
  const options = Object.entries(settings).map(([name, value]) => `-Dquarkus.${name}=${value}`)
  const cwd = temporaryFolder()
  const child = spawn(right(java), [...options, '-jar', join(right(apicurio), 'quarkus-run.jar')], {
    cwd,
    stdio: 'ignore',
  })
  const url = `http://127.0.0.1:${port}/apis/ccompat/v7`
  const read = async (path: string): Promise<unknown> => (await fetch(url + path)).json()
  await eventually('the registry', () => read('/subjects').catch(() => undefined), 180_000)
  const stop = async () => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return { url, read, stop }
}

test('it takes each schema, twice the same, and gives one that accepts what the bridge writes', async () => {
  const { url, read, stop } = await start()
  try {
    const ids: string[] = []
    for (let i = 0; i < 2; i++) {
      const { code, out, err } = await runCommand(['contracts', 'publish', '--registry', url], {})
      assert.is(code, 0, err)
      ids.push(out)
    }
    assert.is(ids[0], ids[1])
    assert.equal(await read('/subjects/livechat.ChatFinished.v1/versions'), [1])
    assert.equal(await read('/config/livechat.ChatFinished.v1'), { compatibilityLevel: 'NONE' })
    const ajv = addFormats.default(new Ajv.default({ strict: false }))
    for (const { name: type } of DomainEvent.types) {
      const example = exampleOf(type as DomainEvent['type'])
      const found = Object(await read(`/subjects/livechat.${type}.v1/versions/latest`))
      assert.is(found.schemaType, 'JSON')
      const accepts = ajv.compile(JSON.parse(found.schema))
      assert.ok(accepts(example), type)
      assert.not.ok(accepts({}), type)
    }
  } finally {
    await stop()
  }
})

registry.run()
