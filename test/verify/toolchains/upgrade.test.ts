// Operators upgrade a running bridge role by role, in the order of the guide, and go back to the former version.
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { archiveNameOf, eventTopics } from '../../../contracts/topics.ts'
import { newKeyFile } from '../../../src/bridge/archive/key-file.ts'
import type { Role } from '../../../src/bridge/domain/roles.ts'
import { anyFree } from '../../../src/tools/embedded/port.ts'
import { serviceAccountOf } from '../../../src/tools/simulator/account.ts'
import { chatAccepted } from '../../../src/tools/simulator/payloads.ts'
import { isRegular } from '../../../src/tools/simulator/send.ts'
import { type BridgeProcess, startBridgeProcess } from '../../support/bridge-process.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { root } from '../../support/outcome.ts'
import { endsOf } from '../../support/plain-consumer.ts'
import { world } from '../../support/world.ts'

/** The lines that git prints. */
const git = (...args: ReadonlyArray<string>) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '')

/** The commit that gave the changelog this heading: a version and its day. */
const releaseCommit = (heading: string) =>
  git('log', '--reverse', '--format=%H', `-S${heading}`, '--', 'CHANGELOG.md')[0]

/**
 * The last release before this commit. Before the first one, the oldest commit with the present dependencies. Undefined
 * without a history. `UPGRADE_FROM` names another one.
 */
const formerCommit = (): string | undefined => {
  if (process.env.UPGRADE_FROM !== undefined) return process.env.UPGRADE_FROM
  try {
    const headings = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').match(/^## \S+ \(\d{4}-\d\d-\d\d\)$/gm) ?? []
    const [head] = git('rev-parse', 'HEAD')
    const candidates = [...headings.map(releaseCommit), git('log', '-1', '--format=%H', '--', 'package-lock.json')[0]]
    return candidates.find((commit) => commit !== undefined && commit !== head)
  } catch {
    return undefined
  }
}

const former = formerCommit()
const upgrade = suite('upgrade')
if (former === undefined) console.log('skipped: the upgrade: there is no former commit with the same dependencies')

/** The sources of a commit, set up in advance: otherwise each of its processes strips the types of all files. */
const checkout = async (commit: string) => {
  const folder = temporaryFolder()
  execFileSync('tar', ['-x', '-C', folder], {
    input: execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 1e9 }),
  })
  const lock = 'package-lock.json'
  if (readFileSync(join(folder, lock), 'utf8') === readFileSync(join(root, lock), 'utf8')) {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    // Older than the packages: set-up would install newer ones again, through the link, and delete those of this folder.
    utimesSync(join(folder, lock), 0, 0)
  }
  const env = { NODE_COMPILE_CACHE: join(folder, '.compiled') }
  await promisify(execFile)('sh', [join(folder, 'src/app/set-up')], { env: { ...process.env, ...env } })
  return { folder, env }
}
type Checkout = Awaited<ReturnType<typeof checkout>>

/** Rebuilds the views of another version with the command of a checkout, as the guide says. */
const rebuild = (from: Checkout | undefined, env: NodeJS.ProcessEnv) =>
  promisify(execFile)('sh', [join(from?.folder ?? root, 'src/app/livechat-bridge'), 'rebuild', 'all'], {
    env: { ...process.env, ...env, ...from?.env },
  })

/** Sends each request to a bridge that answers, as the load balancer in docker/haproxy.cfg does. */
const balancer = async (ports: ReadonlyArray<number>) => {
  let turn = 0
  const forward = async (path: string, init: RequestInit, left: number): Promise<Response> => {
    try {
      return await fetch(`http://127.0.0.1:${ports[turn++ % ports.length]}${path}`, init)
    } catch (error) {
      if (left === 0) throw error
      return forward(path, init, left - 1)
    }
  }
  const server = createServer(async (request, response) => {
    const [body, type] = [await buffer(request), request.headers['content-type'] ?? '']
    const init = { method: request.method ?? 'GET', headers: { 'content-type': type }, body: new Uint8Array(body) }
    try {
      const answer = await forward(request.url ?? '', init, 2 * ports.length)
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
      response.end(await answer.text())
    } catch {
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}

;(former === undefined ? upgrade.skip : upgrade)(
  'role by role to the present version and back, with traffic: nothing is lost, and no reply is sent twice',
  async () => {
    const old = await checkout(former ?? '')
    const here = await world({ bot: { replyWithin: 60_000 } })
    const archiveKeyFile = join(temporaryFolder(), 'keys.json')
    writeFileSync(archiveKeyFile, newKeyFile('upgrade'))
    const env = { ...here.env, ARCHIVE_KEY_FILE: archiveKeyFile }

    type Instance = { readonly role: Role; readonly port: number; readonly dataDir: string; process?: BridgeProcess }
    const start = async (instance: Instance, from: Checkout | undefined) => {
      const { role, port, dataDir } = instance
      const started = await startBridgeProcess({
        roles: [role],
        port,
        dataDir,
        env: { ...env, ...from?.env },
        checkout: from?.folder,
      })
      instance.process = started
      const refuses = await eventually(
        `${role} to be ready, or to refuse documents`,
        async () => {
          if (await started.isReady()) return 'no'
          return /run livechat-bridge rebuild/.test(await started.readiness()) ? 'yes' : undefined
        },
        120_000,
      ).catch(async (error) => {
        throw new Error(`${error}: ${await started.readiness()}`)
      })
      if (refuses === 'no') return
      console.log('the projector refuses documents of the other version: rebuild all')
      await rebuild(from, env)
      await eventually(`${role} to be ready`, async () => (await started.isReady()) || undefined, 120_000)
    }
    const instances: Instance[] = []
    // The order of the guide.
    const order = ['projector', 'egress', 'archiver', 'ingress', 'ingress'] as const
    for (const role of order) {
      const dataDir = temporaryFolder()
      mkdirSync(dataDir, { recursive: true })
      const instance = { role, port: await anyFree(), dataDir }
      instances.push(instance)
    }
    await Promise.all(instances.map((instance) => start(instance, old)))
    const entrance = await balancer(instances.filter(({ role }) => role === 'ingress').map(({ port }) => port))
    const connected = serviceAccountOf(here.account, entrance.url).bridge
    if (connected !== undefined) here.service.connect('acme', connected)
    // Bots get the new kit after the bridge: a former bridge refuses commands with fields that it does not know.
    const { startBot, text }: typeof import('../../../src/bot/index.ts') = await import(
      join(old.folder, 'src/bot/index.ts')
    )
    const bot = await startBot(
      { onMessage: () => text('An answer.') },
      { brokers: here.brokers, group: `${here.prefix}bot`, topicPrefix: here.prefix },
    )

    let [running, chat] = [true, 1_000]
    const accepted: string[] = []
    const asked: string[] = []
    const refused: unknown[] = []
    const traffic = (async () => {
      while (running) {
        const id = String(++chat)
        const sent = await here.service.webhook('acme', chatAccepted({ chat_id: chat, user_token: `user-${id}` }))
        if (isRegular(sent)) accepted.push(id)
        else refused.push(sent)
        const written = await here.service.clientWrites(id, `question ${id}`)
        if (written.regular) asked.push(id)
        else refused.push(written)
        await sleep(50)
      }
    })()
    const more = async () => {
      const before = asked.length
      await eventually('more traffic', () => asked.length >= before + 10 || undefined, 60_000)
    }
    const replace = async (instance: Instance, from: Checkout | undefined) => {
      const ended = await instance.process?.kill('SIGTERM')
      assert.is(ended?.code, 0, instance.role)
      await start(instance, from)
      await more()
    }
    const client = await MongoClient.connect(here.mongo.url)
    try {
      await more()
      for (const instance of instances) await replace(instance, undefined)
      for (const instance of instances.toReversed()) await replace(instance, old)
      running = false
      await traffic

      assert.equal(refused, [])
      const db = client.db()
      const chatsOf = async (filter: object) =>
        (await db.collection('timeline').distinct('chatId', filter)).map(String).sort()
      const answered = () => here.service.chats().filter(({ delivered }) => delivered.length > 0).length
      await eventually('every answer', () => answered() >= asked.length || undefined, 60_000)
      await eventually('every delivery in its view', async () => {
        return (await db.collection('deliveries').countDocuments({ state: 'delivered' })) >= asked.length || undefined
      })
      const twice = here.service.chats().filter(({ delivered }) => delivered.length > 1)
      assert.equal(
        twice.map(({ chatId }) => chatId),
        [],
      )
      assert.equal(await chatsOf({ type: 'ChatAccepted' }), [...accepted].sort())
      assert.equal(await chatsOf({ type: 'ClientMessageReceived' }), [...asked].sort())

      const sum = async (names: ReadonlyArray<string>) =>
        [
          ...(await endsOf(
            here.brokers,
            names.map((name) => `${here.prefix}${name}`),
          )),
        ].reduce((all, [, end]) => all + end, 0)
      const events = eventTopics.map(({ name }) => name)
      await eventually(
        'the archive',
        async () => (await sum(events.map(archiveNameOf))) >= (await sum(events)) || undefined,
      )
      assert.is(await sum(['dead-letters']), 0)
      assert.is(await sum(['quarantine']), 0)
    } finally {
      running = false
      await client.close()
      await bot.stop()
      for (const instance of instances) await instance.process?.kill('SIGTERM')
      entrance.stop()
      await here.stop()
    }
  },
)

upgrade.run()
