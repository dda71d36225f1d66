import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { anyFree } from '../../../src/tools/embedded/port.ts'
import { startBridgeProcess } from '../../support/bridge-process.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { webhook } from '../../verify/faults/traffic.ts'
import { user } from './kafka-server.ts'
import { secureServers } from './secure-servers.ts'

const dataDir = temporaryFolder()
const accounts = join(dataDir, 'accounts.json')
const passwordFile = join(dataDir, 'password')
writeFileSync(accounts, JSON.stringify({ accounts: [{ id: 'acme', webhooks: { token: 'webhooks-token-of-acme' } }] }))
writeFileSync(passwordFile, `${user.password}\n`)

const environment = async () => {
  const { kafka, mongod, authority } = await secureServers()
  return {
    KAFKA_BROKERS: kafka.sasl,
    KAFKA_SSL: 'true',
    KAFKA_SSL_CA_FILE: authority.own.certFile,
    KAFKA_SASL_MECHANISM: 'scram-sha-256',
    KAFKA_SASL_USERNAME: user.username,
    BRIDGE_CONFIG: accounts,
    TOPIC_PARTITIONS: '2',
    MONGODB_URL: mongod.url(),
  }
}
const start = async (env: Readonly<Record<string, string>>) =>
  startBridgeProcess({
    roles: ['ingress', 'projector', 'egress'],
    port: await anyFree(),
    dataDir,
    env: { ...(await environment()), ...env },
  })

const security = suite('the bridge on servers with TLS and users')

security('a webhook reaches a view', async () => {
  const { mongod } = await secureServers()
  const bridge = await start({ KAFKA_SASL_PASSWORD_FILE: passwordFile })
  await eventually('readiness', async () => (await bridge.isReady()) || undefined)

  const { body } = webhook(2037, 1)
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${bridge.url}/webhooks/webhooks-token-of-acme`, { method: 'POST', headers, body })

  assert.is(answer.status, 200)
  await using client = new MongoClient(mongod.url())
  const chats = client.db('livechat').collection<{ readonly _id: string }>('chats')
  await eventually('the chat', async () => (await chats.findOne({ _id: 'acme/2037' })) ?? undefined)
  assert.is((await bridge.kill('SIGTERM')).code, 0)
})

security('with wrong passwords it runs, is not ready, and names the settings without secrets', async () => {
  const { mongod } = await secureServers()
  const bridge = await start({
    KAFKA_SASL_PASSWORD: 'a-wrong-secret',
    MONGODB_URL: mongod.url({ password: 'a-wrong-secret' }),
  })
  const readiness = await eventually('both reasons', async () => {
    const text = await bridge.readiness()
    return /KAFKA_SASL_PASSWORD/.test(text) && /MONGODB_URL/.test(text) ? text : undefined
  })
  const logged = await eventually('both reasons in the log', () => {
    const text = bridge.log()
    return /KAFKA_SASL_PASSWORD/.test(text) && /MONGODB_URL/.test(text) ? text : undefined
  })

  assert.is(await bridge.isReady(), false)
  assert.not.ok(`${readiness}${logged}`.includes('a-wrong-secret'))
  assert.is((await bridge.kill('SIGTERM')).code, 0)
})

security.run()
