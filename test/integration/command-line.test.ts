import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { sample } from '../support/samples.ts'
import { cacheDir } from '../support/servers.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const dataDir = mkdtempSync(join(tmpdir(), 'livechat-command-line-'))
symlinkSync(resolve(root, cacheDir), join(dataDir, 'cache'))

const running = new Set<ChildProcess>()

type Run = { readonly child: ChildProcess; readonly text: () => string; readonly ended: Promise<number | null> }

/** The command as a user runs it, without the servers of the environment unless they are given. */
const run = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}): Run => {
  const { KAFKA_BROKERS, MONGODB_URL, FORCE_COLOR, ...others } = process.env
  const child = spawn('sh', [join(root, 'src/app/livechat-bridge'), ...args], {
    env: { ...others, DATA_DIR: dataDir, HTTP_PORT: '0', NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (text += chunk.toString()))
  return { child, text: () => text, ended: once(child, 'close').then(([code]) => code as number | null) }
}

const start = async () => {
  const bridge = run(['start'])
  await eventually(
    'the bridge to be ready',
    () => {
      if (bridge.child.exitCode !== null) throw new Error(bridge.text())
      return /Ctrl-C/.test(bridge.text()) || undefined
    },
    120_000,
  )
  const find = (pattern: RegExp) => pattern.exec(bridge.text())?.[1] ?? ''
  return {
    ...bridge,
    webhooks: find(/webhooks\s+(http\S+)/),
    mongoUrl: find(/mongodb\s+(mongodb:\S+)/),
    stop: async () => {
      bridge.child.kill('SIGTERM')
      return bridge.ended
    },
  }
}

const chats = async (url: string) => {
  const client = await MongoClient.connect(url)
  try {
    return await client.db().collection('chats').countDocuments()
  } finally {
    await client.close()
  }
}

const commandLine = suite('command line')

commandLine.after(async () => {
  for (const child of running) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  rmSync(dataDir, { recursive: true, force: true })
})

commandLine('start brings up everything, the demo runs against it, and the next start has its data', async () => {
  const first = await start()
  const answer = await fetch(first.webhooks, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: sample('webhooks', 'chat_accepted'),
  })
  assert.is(answer.status, 200)

  const demo = run(['demo'])
  assert.is(await demo.ended, 0, demo.text())
  assert.match(demo.text(), /✓ 21 steps/)
  const topics = run(['topics'])
  assert.is(await topics.ended, 0, topics.text())
  assert.match(topics.text(), /livechat\.bot-replies .*7 days/)
  const json = run(['topics', '--json'])
  assert.is(await json.ended, 0, json.text())
  const listed: ReadonlyArray<{ name: string; differences: ReadonlyArray<string> }> = JSON.parse(json.text())
  assert.equal(listed.find(({ name }) => name === 'livechat.bot-replies')?.differences, [])

  const before = await eventually('the chats of the demo', async () => {
    const count = await chats(first.mongoUrl)
    return count >= 2 ? count : undefined
  })
  assert.is(await first.stop(), 0, first.text())

  const second = await start()
  assert.is(await chats(second.mongoUrl), before)
  assert.is(await second.stop(), 0, second.text())
})

commandLine('a port that is taken is told with what to do', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const bridge = run(['start'], { HTTP_PORT: String(port) })
  assert.is(await bridge.ended, 1)
  assert.match(bridge.text(), `127.0.0.1:${port} is in use: end what uses it, or set HTTP_PORT`)
  other.close()
})

commandLine('mistakes in the configuration are told all at once, with exit code 78', async () => {
  const accounts = join(dataDir, 'wrong-accounts.json')
  writeFileSync(accounts, '{"accounts":[{"id":"a b","webhooks":{"token":"too-short"}}]}')
  const wrong = { BRIDGE_CONFIG: accounts, KAFKA_BROKERS: 'nowhere', LOG_LEVEL: 'loud' }
  for (const command of ['check-config', 'start']) {
    const checked = run([command], wrong)
    assert.is(await checked.ended, 78)
    for (const path of ['KAFKA_BROKERS', 'LOG_LEVEL', 'accounts.0.id', 'accounts.0.webhooks.token'])
      assert.match(checked.text(), path)
    assert.not.match(checked.text(), 'too-short')
  }
})

commandLine('a command that is not known is told', async () => {
  const unknown = run(['fly'])
  assert.is.not(await unknown.ended, 0)
  assert.match(unknown.text(), "unknown command 'fly'")
})

commandLine.run()
