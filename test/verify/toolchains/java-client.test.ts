// The chat service's developers do this in Java: they generate a client from the OpenAPI document and call the bridge.
import { execFile, execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { right } from '../../support/either.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { sample } from '../../support/samples.ts'
import { world } from '../../support/world.ts'
import { javaTools, mavenJars } from './fetched.ts'

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const folder = temporaryFolder()
const tools = await javaTools()
if (E.isLeft(tools)) console.log(`skipped: the client in Java: ${tools.left.message}`)

const client = suite('the Java client of openapi-generator')

/** Compiles the generated client and the program that uses it. Returns the class path. */
const compiled = async (): Promise<string> => {
  const jar = globSync('openapi-generator-cli-*.jar', { cwd: right(tools) })[0] ?? ''
  const document = pathOf('../../../contracts/published/openapi.yaml')
  const generate = ['generate', '-g', 'java', '-i', document, '-o', folder]
  execFileSync('java', ['-jar', join(right(tools), jar), ...generate], { stdio: 'pipe' })
  const libraries = join(right(await mavenJars('java-client', join(folder, 'pom.xml'))), '*')
  const classes = join(folder, 'classes')
  const sources = globSync('src/main/java/**/*.java', { cwd: folder }).map((file) => join(folder, file))
  const program = pathOf('java/CallBridge.java')
  execFileSync('javac', ['-nowarn', '-cp', libraries, '-d', classes, program, ...sources], { stdio: 'pipe' })
  return `${libraries}:${classes}`
}

const test = E.isRight(tools) ? client : client.skip

test('it compiles unchanged, and posts to both interfaces of a running bridge, with an access token', async () => {
  const classPath = await compiled()
  const here = await world()
  try {
    const bridge = await here.start(['ingress'])
    const [open, guarded] = here.accounts
    const given = {
      url: bridge.url,
      webhooksToken: open?.webhooks?.token,
      botToken: guarded?.bot?.token,
      ...guarded?.bot?.authorization,
      chatAccepted: JSON.parse(sample('webhooks', 'chat_accepted')),
      clientMessage: JSON.parse(sample('bot-api', 'CLIENT_MESSAGE')),
    }
    const answers = await new Promise<string>((resolve, reject) => {
      const child = execFile('java', ['-cp', classPath, 'CallBridge'], (error, out, err) =>
        error === null ? resolve(out) : reject(new Error(err)),
      )
      child.stdin?.end(JSON.stringify(given))
    })
    assert.equal(answers.trim().split('\n'), ['ok', 'ok'])
  } finally {
    await here.stop()
  }
})

client.run()
