import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { anyFree } from '../../src/tools/embedded/port.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { root } from '../support/outcome.ts'
import { sample } from '../support/samples.ts'
import { compose, composeCommand } from './compose-command.ts'
import { buildImage, docker, image, whySkipped, withEngine } from './engine-tests.ts'

const command = await composeCommand()
const lacking = () => {
  if (command === undefined) return 'there is no docker compose'
  const { KAFKA_IMAGE, HAPROXY_IMAGE } = process.env
  return KAFKA_IMAGE && !HAPROXY_IMAGE ? 'there is no stand-in for haproxy' : undefined
}
// Six servers, a proxy and eight bridges take minutes on a small machine, so this test runs only on request.
const why = process.env.TEST_COMPOSE === 'true' ? (whySkipped ?? lacking()) : 'TEST_COMPOSE is not true'

const cluster = suite('the cluster of compose.yaml')
const test = withEngine(cluster, why)

const port = await anyFree()
const secrets = temporaryFolder()
const project = `livechat-test-${port}`
const run = compose(command ?? [], project, {
  BRIDGE_IMAGE: image,
  PUBLISH: `127.0.0.1:${port}`,
  SECRETS_DIR: secrets,
})
let token = ''
const consumers = ['projector-1', 'projector-2', 'egress-1', 'egress-2', 'archiver-1', 'archiver-2']

const containerOf = (service: string): Promise<string> =>
  docker(
    'ps',
    '--all',
    '--quiet',
    '--filter',
    `label=com.docker.compose.project=${project}`,
    '--filter',
    `label=com.docker.compose.service=${service}`,
  )

cluster.before(async () => {
  if (why !== undefined) return
  execFileSync(join(root, 'docker/make-secrets'), [secrets])
  token = JSON.parse(readFileSync(join(secrets, 'accounts.json'), 'utf8')).accounts[0].webhooks.token
  await buildImage()
  const began = performance.now()
  await run('up', '--detach')
  await eventually('all consumers to be ready', consumersReady, 300_000)
  console.log(
    `three brokers, three mongods and eight bridges: ready after ${Math.round((performance.now() - began) / 1000)} s`,
  )
})
cluster.after(async () => {
  if (why === undefined) await run('down', '--volumes', '--timeout', '20')
})

const consumersReady = async (): Promise<true | undefined> => {
  const containers = await Promise.all(consumers.map(containerOf))
  const states = await docker('inspect', '--format', '{{.State.Health.Status}}', ...containers)
  return states.split('\n').every((state) => state === 'healthy') || undefined
}

/** The status of the answer; 0 if there is none. */
const post = (chatId: number): Promise<number> =>
  fetch(`http://127.0.0.1:${port}/webhooks/${token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: sample('webhooks', 'chat_accepted').replaceAll('2037', String(chatId)),
  }).then(
    ({ status }) => status,
    () => 0,
  )

/** The number of chats in the view, read in a container of the bridge, because no other client may connect. */
const chatsInView = async (): Promise<number> => {
  const program = `
    import { readFileSync } from 'node:fs'
    import { MongoClient } from 'mongodb'
    const client = new MongoClient(readFileSync('/run/secrets/mongodb-url', 'utf8').trim())
    console.log(await client.db().collection('chats').countDocuments())
    await client.close()`
  const projector = await containerOf('projector-1')
  return Number(await docker('exec', projector, 'node', '--input-type=module', '--eval', program))
}

test('an event posted to the public address is in the view, and metrics are readable on the operators’ port only', async () => {
  assert.is(await post(1), 200)
  await eventually('the chat in the view', async () => (await chatsInView()) === 1 || undefined)
  assert.is((await fetch(`http://127.0.0.1:${port}/metrics`)).status, 404)
  const program =
    "console.log((await (await fetch('http://ingress-1:8081/metrics')).text()).includes('livechat_check_ok'))"
  const projector = await containerOf('projector-1')
  assert.is(await docker('exec', projector, 'node', '--input-type=module', '--eval', program), 'true')
})

test('while the instances of ingress are replaced one after the other, every request is answered 200', async () => {
  const statuses = new Map<number, number>()
  let next = 2
  let over = false
  const client = async () => {
    while (!over) {
      const chat = next++
      statuses.set(chat, await post(chat))
    }
  }
  const clients = [client(), client(), client(), client()]
  for (const service of ['ingress-1', 'ingress-2']) {
    const container = await containerOf(service)
    await docker('stop', '--time', '30', container)
    assert.is(await docker('inspect', '--format', '{{.State.ExitCode}}', container), '0')
    await docker('start', container)
    const state = () => docker('inspect', '--format', '{{.State.Health.Status}}', container)
    await eventually(`${service} to be ready again`, async () => (await state()) === 'healthy' || undefined, 120_000)
  }
  over = true
  await Promise.all(clients)

  assert.ok(statuses.size > 10)
  assert.equal(
    [...statuses].filter(([, status]) => status !== 200),
    [],
  )
  await eventually(
    'all chats in the view',
    async () => (await chatsInView()) === statuses.size + 1 || undefined,
    120_000,
  )
})

test('all services stop with success, and their data is there after the next start', async () => {
  const before = await chatsInView()
  const bridges = ['ingress-1', 'ingress-2', ...consumers]
  await run('stop')
  const containers = await Promise.all(bridges.map(containerOf))
  const codes = await docker('inspect', '--format', '{{.State.ExitCode}}', ...containers)
  assert.equal(
    codes.split('\n'),
    bridges.map(() => '0'),
  )

  await run('up', '--detach')
  await eventually('all consumers to be ready', consumersReady, 300_000)
  assert.is(await chatsInView(), before)
  assert.is(await post(0), 200)
})

cluster.run()
