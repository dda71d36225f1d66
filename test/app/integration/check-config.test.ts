import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { anyFree } from '../../../src/tools/embedded/port.ts'
import { newPrefix } from '../../bridge/kafka/connect.ts'
import { runCommand } from '../../support/command.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { servers } from '../../support/servers.ts'

const folder = temporaryFolder()
const { brokers, mongoUrl } = await servers()

const service = createServer((_, res) => res.writeHead(404).end())
await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))

const check = async (baseUrl: string, env: NodeJS.ProcessEnv) => {
  const file = join(folder, 'accounts.json')
  const bot = { token: 'q8Jd0vKx2mZr7TnW4yLbAe', providerId: 'prov1', baseUrl }
  writeFileSync(file, JSON.stringify({ accounts: [{ id: 'acme', timeZone: 'Europe/Berlin', bot }] }))
  const given = { BRIDGE_CONFIG: file, KAFKA_BROKERS: brokers.join(), MONGODB_URL: mongoUrl, TOPIC_PREFIX: newPrefix() }
  return runCommand(['check-config', '--connect'], { ...given, ...env }, folder)
}

const connect = suite('check-config --connect')

connect('with everything there it says what it found, and creates nothing', async () => {
  const { code, out, err } = await check(`http://127.0.0.1:${(service.address() as AddressInfo).port}`, {})
  assert.equal([code, err], [0, ''])
  for (const line of ['Kafka: 1 broker', 'MongoDB: the primary answers']) assert.match(out, line)
  // What many topics lack is said once.
  const created = out.split('\n').filter((line) => line.includes('is created at the start'))
  assert.is(created.length, 1)
  assert.match(created[0] ?? '', /\.chats, .*\.dead-letters: is created at the start$/)
  assert.match(out, /service of acme: 127\.0\.0\.1:\d+ answers \(404\)/)
})

connect('each server that does not do is named, with the setting to check', async () => {
  const away = `127.0.0.1:${await anyFree()}`
  const { code, err } = await check(`http://${away}`, {
    KAFKA_BROKERS: away,
    MONGODB_URL: `mongodb://${away}/livechat`,
    CONSOLE_URL: 'https://chats.example.com',
    CONSOLE_OIDC_ISSUER: `http://${away}`,
    CONSOLE_OIDC_CLIENT_ID: 'livechat',
    CONSOLE_OIDC_CLIENT_SECRET: 'a-secret-of-the-client',
    CONSOLE_SESSION_KEY: 'a key of the console, of 32 characters',
  })
  assert.is(code, 1)
  for (const line of [
    `! Kafka: Kafka cannot be reached`,
    '! MongoDB: MongoDB does not answer',
    `! identity provider: nothing listens at ${away}: see CONSOLE_OIDC_ISSUER; ECONNREFUSED`,
    `! service of acme: nothing listens at ${away}: see bot.baseUrl`,
  ])
    assert.match(err, line)
})

connect.after(() => {
  service.close()
  service.closeAllConnections()
})

connect.run()
