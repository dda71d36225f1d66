// An operator registers the console with Keycloak by the commands of the guide, and a colleague signs in.
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { anyFree } from '../../../src/tools/embedded/port.ts'
import { startBridgeProcess } from '../../support/bridge-process.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { databaseUrl, servers } from '../../support/servers.ts'
import { settled, startChromium } from './console/browser.ts'
import { mavenArchive } from './fetched.ts'

const version = '26.7.3'
const found = await mavenArchive(`org.keycloak:keycloak-quarkus-dist:${version}:zip`)
const browser = await startChromium()
const lacking = [...(E.isLeft(found) ? [found.left.message] : []), ...(typeof browser === 'string' ? [browser] : [])]
for (const problem of lacking) console.log(`skipped: Keycloak: ${problem}`)

const guide = readFileSync(fileURLToPath(new URL('../../../contracts/guides/access.md', import.meta.url)), 'utf8')
const commands =
  /^ {3}```sh\n( {3}kcadm\.sh .*?)^ {3}```$/ms
    .exec(guide)?.[1]
    ?.split('\n')
    .map((line) => line.slice(3))
    .join('\n') ?? ''

/** These programs of Java run for less time than their second compiler takes. */
const firstTier = '-XX:TieredStopAtLevel=1'

const startKeycloak = async (home: string) => {
  const port = await anyFree()
  const data = temporaryFolder()
  const options = [`--http-port=${port}`, '--http-host=127.0.0.1']
  const child = spawn('sh', [join(home, 'bin/kc.sh'), 'start-dev', ...options], {
    env: {
      ...process.env,
      KC_BOOTSTRAP_ADMIN_USERNAME: 'admin',
      KC_BOOTSTRAP_ADMIN_PASSWORD: 'admin',
      KC_DB: 'dev-mem',
      JAVA_OPTS_APPEND: firstTier,
    },
    stdio: 'ignore',
    detached: true,
  })
  const url = `http://127.0.0.1:${port}`
  const isUp = () =>
    fetch(`${url}/realms/master`).then(
      ({ ok }) => ok || undefined,
      () => undefined,
    )
  await eventually('Keycloak', isUp, 300_000)
  const ended = once(child, 'exit')
  return {
    url,
    /** Runs commands of a shell that can call kcadm.sh. */
    run: (script: string) =>
      execFileSync('bash', ['-euo', 'pipefail', '-c', script], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...process.env,
          HOME: data,
          PATH: `${join(home, 'bin')}:${process.env.PATH}`,
          KC_OPTS: `${firstTier} -XX:+UseSerialGC`,
        },
      }),
    stop: async () => {
      // The script has started Java, which belongs to its group.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
      await ended
    },
  }
}

const keycloak = suite('Keycloak')
keycloak.after(() => (typeof browser === 'string' ? undefined : browser.close()))

if (E.isRight(found) && typeof browser !== 'string')
  keycloak('by the commands of the guide, somebody of a group signs in with the role of that group', async () => {
    const provider = await startKeycloak(join(found.right, `keycloak-${version}`))
    const { brokers, mongoUrl } = await servers()
    const name = `keycloak${randomBytes(4).toString('hex')}`
    const [port, adminPort] = [await anyFree(), await anyFree()]
    const origin = `http://127.0.0.1:${adminPort}`

    // What the company has already: a realm with a group, and somebody in it.
    provider.run(`
      kcadm.sh config credentials --server ${provider.url} --realm master --user admin --password admin
      kcadm.sh create realms -s realm=company -s enabled=true
      group=$(kcadm.sh create groups -r company -s name=support -i)
      kcadm.sh create users -r company -s username=ann -s enabled=true -s email=ann@example.com -s emailVerified=true \\
        -s firstName=Ann -s lastName=Lee -s "groups=[\\"/support\\"]"
      kcadm.sh set-password -r company --username ann --new-password 'of ann'`)
    const own = commands
      .replace('https://identity.example.com', provider.url)
      .replace('--user admin', '--user admin --password admin')
      .replace('https://chats.example.com', origin)
    const secret = /"value" *: *"([^"]+)"/.exec(provider.run(own))?.[1] ?? ''
    assert.is.not(secret, '')

    const dataDir = join(temporaryFolder(), 'data')
    mkdirSync(dataDir)
    const accounts = [{ id: 'acme', webhooks: { token: `webhooks-of-${name}` } }]
    const grants = [{ group: 'support', role: 'viewer' }]
    const accountsFile = join(dataDir, 'accounts.json')
    writeFileSync(accountsFile, JSON.stringify({ accounts, console: { grants } }))
    const bridge = await startBridgeProcess({
      roles: ['projector', 'console'],
      port,
      adminPort,
      dataDir,
      env: {
        KAFKA_BROKERS: brokers.join(','),
        MONGODB_URL: databaseUrl(mongoUrl, name),
        BRIDGE_CONFIG: accountsFile,
        TOPIC_PREFIX: `${name}.`,
        TOPIC_PARTITIONS: '1',
        CONSOLE_URL: origin,
        CONSOLE_SESSION_KEY: 'a key of the console, for this test alone',
        CONSOLE_OIDC_ISSUER: `${provider.url}/realms/company`,
        CONSOLE_OIDC_CLIENT_ID: 'livechat-console',
        CONSOLE_OIDC_CLIENT_SECRET: secret,
      },
    })
    await eventually('the bridge to be ready', async () => (await bridge.isReady()) || undefined, 120_000)

    const page = await browser.newPage()
    page.setDefaultTimeout(60_000)
    await page.goto(`${origin}/console/accounts/acme/now`)
    await page.getByRole('link', { name: 'Sign in with' }).click()
    await page.locator('#username').fill('ann')
    await page.locator('#password').fill('of ann')
    await page.locator('#kc-login').click()
    await page.waitForURL(`${origin}/console/accounts/acme/now`)
    await settled(page)
    assert.is(await page.locator('.who bdi').innerText(), 'ann@example.com')
    const menu = (await page.locator('nav a').allInnerTexts()).map((text) => text.replace(/\s*\d+$/, ''))
    assert.ok(menu.includes('Conversations') && !menu.includes('Privacy'), menu.join())
    await bridge.kill('SIGTERM')
    await provider.stop()
  })

keycloak.run()
