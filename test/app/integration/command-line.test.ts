import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkEverything } from '../../contracts/truth/everything.ts'
import { asked, questions } from '../../guides/questions.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { sample } from '../../support/samples.ts'
import { cacheDir } from '../../support/servers.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const dataDir = temporaryFolder()
symlinkSync(resolve(root, cacheDir), join(dataDir, 'cache'))

const running = new Set<ChildProcess>()

type Run = { readonly child: ChildProcess; readonly text: () => string; readonly ended: Promise<number | null> }

/** Runs the command as a user does. It does not use the environment's servers, unless `env` names them. */
const run = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}): Run => {
  const { KAFKA_BROKERS, MONGODB_URL, FORCE_COLOR, ...others } = process.env
  const child = spawn('sh', [join(root, 'src/app/livechat-bridge'), ...args], {
    env: { ...others, DATA_DIR: dataDir, HTTP_PORT: '0', ADMIN_PORT: '0', NO_COLOR: '1', ...env },
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
    brokers: find(/kafka\s+(\S+:\d+)/),
    mongoUrl: find(/mongodb\s+(mongodb:\S+)/),
    signInLink: find(/console\s+(http\S+)/),
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
})

/** The page that the console shows after its sign-in link was used. */
const signedIn = async (link: string) => {
  const { origin, pathname, searchParams } = new URL(link)
  const used = await fetch(`${origin}${pathname}`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ token: searchParams.get('token') ?? '' }),
    redirect: 'manual',
  })
  const [cookie = ''] = (used.headers.get('set-cookie') ?? '').split(';')
  const page = await fetch(new URL(used.headers.get('location') ?? '', origin), { headers: { cookie } })
  return { status: page.status, text: await page.text() }
}

/** After the demo, every question of the guide for analysts returns rows. */
const demoAnswersTheGuide = async (url: string) => {
  await using client = await MongoClient.connect(url)
  const db = client.db()
  const [of] = await db.collection('timeline').find({ type: 'BotReplyFailed' }).toArray()
  const [hour, now] = [3_600_000, new Date()]
  const [from, to] = [new Date(now.getTime() - hour), new Date(now.getTime() + hour)]
  const names = { account: 'demo', from, to, timezone: 'UTC', chat: String(of?.chatId), now }
  for (const { title, query } of questions) {
    const { collection, pipeline } = asked(query, names)
    const rows = await db.collection(collection).aggregate(pipeline).toArray()
    assert.ok(rows.length > 0, title)
  }
}

const matchesPublishedSchemas = async ({
  brokers,
  mongoUrl,
}: {
  readonly brokers: string
  readonly mongoUrl: string
}) => {
  await using client = await MongoClient.connect(mongoUrl)
  const found = await checkEverything([brokers], 'livechat.', client, 'livechat')
  assert.equal(found.wrong, [])
  assert.ok((found.checked.get('ClientMessageReceived.v1') ?? 0) > 0 && (found.checked.get('ChatDocument') ?? 0) > 0)
}

commandLine('start runs everything, the demo works with it, and the next start has its data', async () => {
  const first = await start()
  const answer = await fetch(first.webhooks, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: sample('webhooks', 'chat_accepted'),
  })
  assert.is(answer.status, 200)

  const demo = run(['demo', '--odd', '0.5', '--seed', '7'])
  assert.is(await demo.ended, 0, demo.text())
  assert.match(demo.text(), /✓ \d+ steps/)
  await matchesPublishedSchemas(first)
  const listing = run(['topics'])
  assert.is(await listing.ended, 0, listing.text())
  assert.match(listing.text(), /livechat\.bot-replies .*7 days/)
  const json = run(['topics', '--json'])
  assert.is(await json.ended, 0, json.text())
  const listed: ReadonlyArray<{ name: string; differences: ReadonlyArray<string> }> = JSON.parse(json.text())
  assert.equal(listed.find(({ name }) => name === 'livechat.bot-replies')?.differences, [])

  await demoAnswersTheGuide(first.mongoUrl)

  const another = run(['console', 'link'])
  assert.is(await another.ended, 0, another.text())
  for (const link of [first.signInLink, another.text().trim()]) {
    const page = await signedIn(link)
    assert.is(page.status, 200, link)
    assert.match(page.text, '<script type="module"')
  }

  const before = await eventually('the chats of the demo', async () => {
    const count = await chats(first.mongoUrl)
    return count >= 2 ? count : undefined
  })
  assert.is(await first.stop(), 0, first.text())

  const second = await start()
  assert.is(await chats(second.mongoUrl), before)
  assert.is(await second.stop(), 0, second.text())
})

commandLine.run()
