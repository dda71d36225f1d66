import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { anyFree } from '../../src/tools/embedded/port.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { sample } from '../support/samples.ts'
import { servers } from '../support/servers.ts'
import { buildImage, docker, image, whySkipped, withEngine } from './engine-tests.ts'

const folder = temporaryFolder()
// The user of the image must be able to read this folder, and it is another user than this process's.
chmodSync(folder, 0o755)
const started: string[] = []

const imaged = suite('the image')
const test = withEngine(imaged)

imaged.after(async () => {
  for (const name of started) await docker('rm', '--force', '--volumes', name)
})

if (whySkipped === undefined) await buildImage()

/** Runs the image on a hardened host: no privileges, only its volume is writable, the servers are on loopback. */
const start = async (port: number, adminPort: number): Promise<string> => {
  const { brokers, mongoUrl } = await servers()
  writeFileSync(
    join(folder, 'accounts'),
    JSON.stringify({ accounts: [{ id: 'acme', webhooks: { token: 'a'.repeat(16) } }] }),
  )
  writeFileSync(join(folder, 'mongodb-url'), mongoUrl)
  const name = `livechat-image-${port}`
  const prefix = `${name}.`
  const variables = {
    KAFKA_BROKERS: brokers.join(','),
    HTTP_PORT: port,
    ADMIN_PORT: adminPort,
    TOPIC_PREFIX: prefix,
    TOPIC_PARTITIONS: 2,
  }
  const env = Object.entries(variables).flatMap(([key, value]) => ['--env', `${key}=${value}`])
  const files = [
    '--env',
    'MONGODB_URL_FILE=/s/mongodb-url',
    '--env',
    'BRIDGE_CONFIG=/s/accounts',
    '--volume',
    `${folder}:/s:ro`,
  ]
  const hardened = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges']
  started.push(name)
  await docker(
    'run',
    '--detach',
    '--name',
    name,
    '--network',
    'host',
    ...hardened,
    ...env,
    ...files,
    '--health-interval',
    '1s',
    image,
  )
  return name
}
const inspect = async (name: string, format: string) => docker('inspect', '--format', format, name)
const insideNode = (...code: ReadonlyArray<string>) =>
  docker('run', '--rm', '--network', 'none', '--entrypoint', 'node', image, '-e', ...code)

test('it has production dependencies only, and runs as the user nobody', async () => {
  const found = await insideNode(`
    const here = (name) => require('node:fs').existsSync('/app/' + name)
    console.log(JSON.stringify([
      process.getuid(), process.version, here('node_modules/kafkajs'), here('src/app/cli.ts'),
      ...['node_modules/typescript', 'node_modules/uvu', 'test', 'docker/local', 'docker/secrets', '.git'].filter(here)
    ]))`)
  assert.equal(JSON.parse(found), [65532, process.version, true, true])
})

test('it becomes healthy and ready, accepts an event, and exits with 0 on SIGTERM', async () => {
  const began = performance.now()
  const port = await anyFree()
  const name = await start(port, await anyFree())
  const url = `http://127.0.0.1:${port}`
  const ready = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  const isUp = async () => {
    if ((await inspect(name, '{{.State.Running}}')) !== 'true') throw new Error(await docker('logs', name))
    return (await ready()) || undefined
  }
  await eventually('the image to be ready', isUp, 120_000)
  const tookMs = performance.now() - began
  await eventually(
    'the image to be healthy',
    async () => (await inspect(name, '{{.State.Health.Status}}')) === 'healthy' || undefined,
  )

  const taken = await fetch(`${url}/webhooks/${'a'.repeat(16)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: sample('webhooks', 'chat_accepted'),
  })
  assert.equal([taken.status, await taken.json()], [200, { result: 'ok' }])

  await docker('stop', '--time', '30', name)
  assert.is(await inspect(name, '{{.State.ExitCode}}'), '0')
  const size = Number(await inspect(image, '{{.Size}}'))
  console.log(`image: ${Math.round(size / 1e6)} MB, ready ${(tookMs / 1000).toFixed(1)} s after docker run`)
})

test('a user with any number, in group 0, has a home for the journal and can run every command', async () => {
  const as = ['run', '--rm', '--network', 'none', '--user', '123456:0']
  const write = "require('node:fs').writeFileSync('/data/1', ''); console.log(process.getuid())"
  assert.is((await docker(...as, '--entrypoint', 'node', image, '-e', write)).trim(), '123456')
  assert.match(await docker(...as, image, 'check-config'), /^The configuration is valid\.$/m)
})

test('its health check fails if nothing answers, and check-config prints every mistake and exits with 78', async () => {
  const check = docker('run', '--rm', '--network', 'none', '--entrypoint', 'node', image, 'docker/health.ts')
  assert.match(await check.catch(({ message }: Error) => message), 'http://127.0.0.1:8081/livez: fetch failed')
  const name = 'livechat-image-wrong'
  started.push(name)
  await docker('run', '--name', name, '--network', 'none', '--env', 'HTTP_PORT=many', image, 'check-config').catch(
    () => '',
  )
  assert.is(await inspect(name, '{{.State.ExitCode}}'), '78')
})

imaged.run()
