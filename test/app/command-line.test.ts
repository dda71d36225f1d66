import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { command, runCommand } from '../support/command.ts'
import { temporaryFolder } from '../support/folder.ts'

const folder = temporaryFolder()
// No server listens there, so a command that connects ends soon.
const nowhere = { KAFKA_BROKERS: '127.0.0.1:1', MONGODB_URL: 'mongodb://127.0.0.1:1/none' }

/** Runs the command in an empty folder, without the variables of the tests. */
const run = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}) =>
  runCommand(args, { KAFKA_BROKERS: '', MONGODB_URL: '', DATA_DIR: '', BRIDGE_CONFIG: '', ...env }, folder)

const occupied = async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return { server, port: typeof address === 'object' ? (address?.port ?? 0) : 0 }
}

const commandLine = suite('command line without servers')

commandLine('--version prints the version of package.json', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  assert.equal(await run(['--version']), { code: 0, out: `${version}\n`, err: '' })
})

// Only root may start a process of another user.
const asRoot = process.getuid?.() === 0 ? commandLine : commandLine.skip
asRoot('a user without a name, as in a container with an arbitrary UID, can run commands', () => {
  const code = "import { commandLineUser } from './src/bridge/operations/audit.ts'; console.log(commandLineUser())"
  const ran = spawnSync(process.execPath, ['--input-type=module', '-e', code], { uid: 1_000_650_000, encoding: 'utf8' })
  assert.match(ran.stdout, /^uid-1000650000@/, ran.stderr)
})

commandLine('commands that only read create no files', async () => {
  const commands = [['check-config'], ['topics'], ['redrive', 'list'], ['rebuild', 'chats'], ['console', 'link']]
  for (const command of commands) {
    await run(command)
    assert.equal(readdirSync(folder), [], command.join(' '))
  }
})

/** Node's own recursive mkdir never ends with these paths. */
const impossible = () => {
  const root = temporaryFolder()
  symlinkSync(join(root, 'nothing'), join(root, 'link'))
  return ['/proc/livechat-bridge', join(root, 'link', 'data')]
}
commandLine('start with a DATA_DIR that cannot be made says so and ends', () => {
  const accounts = join(temporaryFolder(), 'accounts.json')
  writeFileSync(accounts, JSON.stringify({ accounts: [{ id: 'acme', webhooks: { token: 'webhooks-token-0001' } }] }))
  for (const dataDir of impossible())
    for (const config of ['', accounts]) {
      const env = { ...process.env, KAFKA_BROKERS: '', MONGODB_URL: '', DATA_DIR: dataDir, BRIDGE_CONFIG: config }
      const { status, stderr } = spawnSync('sh', [command, 'start'], { env, timeout: 30_000, killSignal: 'SIGKILL' })
      assert.is(status, 78, `${dataDir}, ${config}: ${stderr}`)
      assert.match(String(stderr), /^DATA_DIR.*(ENOENT|EROFS|EPERM|EACCES)/)
      assert.ok(String(stderr).includes(dataDir))
    }
})

commandLine('check-config --json prints the effective configuration', async () => {
  const { code, out } = await run(['check-config', '--json'])
  assert.is(code, 0)
  const { valid, kafka, mongodb, http, admin, demo, accounts } = JSON.parse(out)
  assert.equal(
    { valid, kafka, mongodb, http, admin, demo, accounts },
    {
      valid: true,
      kafka: 'embedded',
      mongodb: 'embedded',
      demo: true,
      accounts: [],
      http: '127.0.0.1:8080',
      admin: '127.0.0.1:8081',
    },
  )
})

commandLine('the console does not listen beyond loopback without OpenID Connect', async () => {
  const { code, err } = await run(['start', '--role', 'console'], { ...nowhere, ADMIN_HOST: '0.0.0.0', HTTP_PORT: '0' })
  assert.is(code, 78)
  assert.match(
    err,
    /^ADMIN_HOST is not loopback, and CONSOLE_OIDC_ISSUER is not set: .* or ADMIN_HOST to 127\.0\.0\.1\.$/m,
  )
})

commandLine('check-config says that this console does not run, and that the key file cannot be read', async () => {
  const console = await run(['check-config'], { ...nowhere, ADMIN_HOST: '0.0.0.0' })
  assert.is(console.code, 0)
  assert.match(console.out, /^Console +does not run$/m)
  const keys = await run(['check-config'], { ...nowhere, ARCHIVE_KEY_FILE: join(folder, 'none.json') })
  assert.is(keys.code, 78)
  assert.match(keys.err, /^ARCHIVE_KEY_FILE: \S+none\.json cannot be read \(ENOENT\)\n$/)
})

commandLine('console link requires a running bridge', async () => {
  const { code, err } = await run(['console', 'link'], nowhere)
  assert.is(code, 1)
  assert.match(err, 'No bridge with a console runs with this DATA_DIR: start one with npm start, or set DATA_DIR.')
})

commandLine('an unknown command is reported', async () => {
  const { code, err } = await run(['fly'])
  assert.is.not(code, 0)
  assert.match(err, "unknown command 'fly'")
})

commandLine(
  'start exits with 78 and prints all mistakes, but no secret; check-config --json prints the mistakes too',
  async () => {
    const accounts = join(folder, 'accounts.json')
    writeFileSync(accounts, '{"accounts":[{"id":"a b","webhooks":{"token":"too-short"},"bott":{}}]}')
    const wrong = { BRIDGE_CONFIG: accounts, LOG_LEVEL: 'loud', KAFKA_SASL_USERNAME: 'bridge' }
    const { code, out, err } = await run(['check-config', '--json'], wrong)
    const started = await run(['start'], wrong)
    rmSync(accounts)
    assert.is(started.code, 78)
    for (const path of ['LOG_LEVEL', 'KAFKA_SASL_MECHANISM', 'accounts.0.id', 'accounts.0.webhooks.token'])
      assert.match(started.out + started.err, path)
    assert.not.match(started.out + started.err, 'too-short')
    assert.is(code, 78)
    const { valid, problems } = JSON.parse(out)
    assert.equal(
      [valid, ...problems.map(({ path }: { path: string }) => path)],
      [
        false,
        'LOG_LEVEL',
        'KAFKA_SASL_MECHANISM',
        'BRIDGE_CONFIG accounts.0.id',
        'BRIDGE_CONFIG accounts.0.webhooks.token',
        'BRIDGE_CONFIG accounts.0.bott',
      ],
    )
    assert.not.match(out + err, 'too-short')
  },
)

for (const variable of ['HTTP_PORT', 'ADMIN_PORT'])
  commandLine(`a port in use is one line: ${variable}`, async () => {
    const { server, port } = await occupied()
    const ports = { HTTP_PORT: '0', ADMIN_PORT: '0', [variable]: String(port) }
    const { code, out, err } = await run(['start'], { ...nowhere, ...ports, LOG_LEVEL: 'silent' })
    server.close()
    assert.is(code, 1)
    assert.is(out, '')
    assert.is(
      err,
      `127.0.0.1:${port} is in use: stop the process that uses it, or set ${variable} to another port (0 takes any free one).\n`,
    )
  })

commandLine('a port of the demo that is in use is one line', async () => {
  const { server, port } = await occupied()
  const bot = { token: 'bot-token-00000001', providerId: 'prov1', baseUrl: `http://127.0.0.1:${port}` }
  const accounts = join(folder, 'accounts.json')
  writeFileSync(
    accounts,
    JSON.stringify({ accounts: [{ id: 'demo', webhooks: { token: 'webhooks-token-0001' }, bot }] }),
  )
  const { code, err } = await run(['demo'], { ...nowhere, BRIDGE_CONFIG: accounts })
  server.close()
  assert.is(code, 1)
  assert.is(
    err,
    `The demo plays the chat service at 127.0.0.1:${port}, which is in use: stop the process that uses it, or set bot.baseUrl of the account.\n`,
  )
})

commandLine.run()
