import type { Document } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { applyChangesIn } from '../../../src/bridge/mongo/apply.ts'
import { classify } from '../../../src/bridge/mongo/classify.ts'
import { connectMongo } from '../../../src/bridge/mongo/connect.ts'
import { ensureIndexes } from '../../../src/bridge/mongo/indexes.ts'
import { sleep } from '../../../src/bridge/shared/time.ts'
import { changesOfEvent } from '../../../src/bridge/views/changes.ts'
import { guideText } from '../../guides/questions.ts'
import { anEvent, at, inLog } from '../../support/given-events.ts'
import { user } from './mongo-server.ts'
import { secureServers } from './secure-servers.ts'

type Servers = Awaited<ReturnType<typeof secureServers>>

const connect = (url: string) => connectMongo({ url, database: 'livechat' })

const comesAndGoes = async (url: string) => {
  const mongo = connect(url)
  await mongo.query(ensureIndexes)
  const health = await mongo.health()
  await mongo.stop()
  assert.equal(health, { ok: true, reason: 'the primary answers' })
}

/** The reason in the log. Neither this reason nor readiness may contain a secret. */
const refusalOf = async (url: string) => {
  const mongo = connect(url)
  const logged = await mongo.query(ensureIndexes).then(
    () => 'indexes are there',
    (error: unknown) => classify(error).reason,
  )
  const { ok, reason } = await mongo.health()
  await mongo.stop()
  assert.is(ok, false)
  assert.not.ok([logged, reason].some((text) => text.includes(user.password) || text.includes('a-wrong-secret')))
  return logged
}

const security = suite('MongoDB with TLS and authentication')

security('indexes are created over TLS with user and password', async () => {
  const { mongod } = await secureServers()
  await comesAndGoes(mongod.url())
})

security('indexes are created with a client certificate too', async () => {
  const { mutualMongod, client } = await secureServers()
  await comesAndGoes(mutualMongod.url({ more: `&tlsCertificateKeyFile=${client.bothFile}` }))
})

type Refusal = readonly [title: string, url: (servers: Servers) => string, says: RegExp]

const refusals: ReadonlyArray<Refusal> = [
  [
    'a wrong password is reported with MONGODB_URL',
    ({ mongod }) => mongod.url({ password: 'a-wrong-secret' }),
    /the user name, the password or the authSource of MONGODB_URL is wrong/,
  ],
  [
    'an authority that did not sign the certificate is reported with tlsCAFile',
    ({ mongod, stranger }) => mongod.url({ options: `tls=true&tlsCAFile=${stranger.own.certFile}` }),
    /the server's certificate is not signed by an authority in tlsCAFile of MONGODB_URL/,
  ],
  [
    'a server with another name than in its certificate is reported with the hosts of MONGODB_URL',
    ({ mongod }) => mongod.url({ host: '127.0.0.1' }),
    /not for this host: see the hosts of MONGODB_URL/,
  ],
  [
    'a server that requires a certificate is reported with tlsCertificateKeyFile',
    ({ mutualMongod }) => mutualMongod.url(),
    /see tls and tlsCertificateKeyFile of MONGODB_URL/,
  ],
]
for (const [title, url, says] of refusals)
  security(title, async () => {
    assert.match(await refusalOf(url(await secureServers())), says)
  })

/** What the guide's block of roles asks mongosh to create, as commands of MongoDB. */
const rolesOfGuide = (): ReadonlyArray<Document> => {
  const block = /^```js\nconst reads = .*?^```$/ms.exec(guideText)?.[0].split('\n').slice(1, -1).join('\n')
  const commands: Document[] = []
  const mongosh = {
    getName: () => 'livechat',
    createRole: ({ role, ...rest }: Document) => commands.push({ createRole: role, ...rest }),
    createUser: ({ user, ...rest }: Document) => commands.push({ createUser: user, ...rest }),
  }
  new Function('db', 'passwordPrompt', block ?? '')(mongosh, () => 'of the analyst')
  return commands
}

security('the role for figures reads no words and no keys', async () => {
  const { mongod } = await secureServers()
  const bridge = connect(mongod.url())
  await bridge.query(ensureIndexes)
  const event = inLog(anEvent('ClientMessageReceived', 'e1', at('10:00:00')))
  await applyChangesIn(bridge, sleep, () => 'UTC')(event.flatMap(changesOfEvent))
  await bridge.stop()
  await using root = mongod.connectAs(mongod.root.name, mongod.root.password)
  for (const command of rolesOfGuide()) await root.db('livechat').command(command)

  await using analyst = mongod.connectAs('analyst', 'of the analyst', 'livechat')
  const found = await analyst.db('livechat').collection('analytics_sessions').find({ accountId: 'acme' }).toArray()
  // Other tests of this server have sessions of their own.
  assert.ok(found.some(({ kind }) => kind === 'bot'))
  const words = ['sessions', 'chats', 'conversations', 'timeline', 'analytics_messages', 'erasure_keys', 'audit']
  for (const collection of words) {
    const refused = await analyst
      .db('livechat')
      .collection(collection)
      .findOne()
      .catch((error: { readonly codeName?: string }) => error.codeName)
    assert.is(refused, 'Unauthorized', collection)
  }
})

security.run()
