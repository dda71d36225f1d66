import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Instant } from '../../../contracts/primitives.ts'
import type { Slice } from '../../../src/bridge/domain/log/record.ts'
import type { KafkaSettings } from '../../../src/bridge/kafka/client.ts'
import { connectKafka } from '../../../src/bridge/kafka/kafka.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { measureOf, newPrefix, newSeen, recordOf, textOf, withinMs } from '../kafka/connect.ts'
import { hasIpv6, user } from './kafka-server.ts'
import { secureServers } from './secure-servers.ts'

type Servers = Awaited<ReturnType<typeof secureServers>>
type Way = Pick<KafkaSettings, 'ssl' | 'sasl'> & { readonly broker: string }

const connectBy = ({ broker, ...way }: Way) => {
  const seen = newSeen()
  const log = (fields: object, message: string) => void seen.logged.push(['', message, fields])
  const kafka = connectKafka(
    { ...way, brokers: [broker], clientId: 'test', topicPrefix: newPrefix(), partitions: 1 },
    {
      log: { debug: log, info: log, warn: log, error: log },
      measure: measureOf(seen),
      now: () => new Date().toISOString() as Instant,
    },
  )
  return { ...kafka, seen }
}

/** Creates topics, appends and reads. Admin requests, producer and consumer have separate connections. */
const comesAndGoes = async (way: Way) => {
  const kafka = connectBy(way)
  right(await kafka.ensureTopics())
  right(await kafka.append(recordOf('acme/1', 'there'), withinMs))
  const texts: string[] = []
  const handle = async ({ records }: Slice) => void texts.push(...records.map(textOf))
  await kafka.consume({ group: 'g', topics: ['chats'], commit: 'when-handled', handle })
  await eventually('a record', () => texts.length > 0)
  await kafka.stop()
  assert.equal(texts, ['there'])
}

/** The reason that readiness reports. Neither the reason nor the log of the connection may contain a secret. */
const refusalOf = async (way: Way) => {
  const kafka = connectBy(way)
  const { ok, reason } = await kafka.health()
  const topics = await kafka.ensureTopics()
  await kafka.stop()
  const said = JSON.stringify([reason, topics, kafka.seen.logged])
  assert.equal([ok, topics._tag], [false, 'Left'])
  const secrets =
    way.sasl?.mechanism === 'oauthbearer' ? [way.sasl.clientSecret] : [way.sasl?.password ?? 'PRIVATE KEY']
  assert.not.ok([...secrets, 'PRIVATE KEY'].some((secret) => said.includes(secret)))
  return reason
}

const scram = { mechanism: 'scram-sha-512', ...user } as const
const wrongPassword = 'a-wrong-secret-of-the-bridge'
const security = suite('Kafka with TLS and SASL')

const ways: Readonly<Record<string, (servers: Servers) => Way>> = {
  ...Object.fromEntries(
    (['plain', 'scram-sha-256', 'scram-sha-512'] as const).map((mechanism) => [
      `over TLS with ${mechanism}`,
      ({ kafka, authority }: Servers) => ({
        broker: kafka.sasl,
        ssl: { ca: authority.own.cert },
        sasl: { mechanism, ...user },
      }),
    ]),
  ),
  'over TLS with a certificate of the client': ({ kafka, authority, client: { cert, key } }) => ({
    broker: kafka.mutual,
    ssl: { ca: authority.own.cert, cert, key },
  }),
}
for (const [name, way] of Object.entries(ways))
  security(`records are written and read ${name}`, async () => comesAndGoes(way(await secureServers())))

/** A token server (RFC 6749, section 4.4). Its tokens have no signature, as the broker takes them here. */
const tokenServer = async (lastsSeconds: number, claims: () => object = () => ({})) => {
  const asked: Array<{ readonly authorization: string | undefined; readonly body: string }> = []
  const server = createServer((req, res) => {
    let body = ''
    req.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    req.on('end', () => {
      const { authorization } = req.headers
      asked.push({ authorization, body })
      const isClient = authorization === `Basic ${Buffer.from('bridge:a%2Fsecret%20').toString('base64')}`
      const now = Math.floor(Date.now() / 1000)
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const payload = { sub: 'bridge', iat: now, exp: now + lastsSeconds, ...claims() }
      const token = { access_token: `${part({ alg: 'none' })}.${part(payload)}.`, expires_in: lastsSeconds }
      res.writeHead(isClient ? 200 : 401, { 'Content-Type': 'application/json' })
      res.end(JSON.stringify(isClient ? token : { error: 'invalid_client', error_description: body }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const sasl = {
    mechanism: 'oauthbearer',
    tokenUrl: `http://127.0.0.1:${port}/token`,
    clientId: 'bridge',
    clientSecret: 'a/secret ',
    scope: 'kafka write',
  } as const
  return { asked, sasl, stop: () => new Promise<unknown>((resolve) => server.close(resolve).closeAllConnections()) }
}

security('records are written and read over TLS with oauthbearer, with one token for all connections', async () => {
  const { kafka, authority } = await secureServers()
  const { asked, sasl, stop } = await tokenServer(3600)
  await comesAndGoes({ broker: kafka.sasl, ssl: { ca: authority.own.cert }, sasl })
  await stop()
  assert.equal(
    asked.map(({ body }) => body),
    ['grant_type=client_credentials&scope=kafka+write'],
  )
})

security('a token is renewed on open connections before it ends', async () => {
  const { kafka, authority } = await secureServers()
  // kafkajs authenticates again 10 s before the end of a session.
  const { asked, sasl, stop } = await tokenServer(11)
  const bridge = connectBy({ broker: kafka.sasl, ssl: { ca: authority.own.cert }, sasl })
  right(await bridge.ensureTopics())
  const before = asked.length
  await eventually('tokens', async () => {
    right(await bridge.append(recordOf('acme/1', 'there'), withinMs))
    return asked.length >= before + 3
  })
  await bridge.stop()
  await stop()
})

const refusedTokens: ReadonlyArray<readonly [string, () => object, object, RegExp]> = [
  [
    'that has expired',
    () => ({ exp: 1 }),
    {},
    /the broker does not accept the token \(\w+\): see KAFKA_SASL_OAUTH_SCOPE/,
  ],
  [
    'for a wrong secret',
    () => ({}),
    { clientSecret: wrongPassword },
    /invalid_client \(see KAFKA_SASL_OAUTH_CLIENT_ID and/,
  ],
  ['from a server that is away', () => ({}), { tokenUrl: 'http://127.0.0.1:9/token' }, /KAFKA_SASL_OAUTH_TOKEN_URL/],
]
for (const [title, claims, change, says] of refusedTokens)
  security(`a token ${title} is reported with its setting`, async () => {
    const { kafka, authority } = await secureServers()
    const { sasl, stop } = await tokenServer(3600, claims)
    const way = { broker: kafka.sasl, ssl: { ca: authority.own.cert }, sasl: { ...sasl, ...change } }
    assert.match(await refusalOf(way), says)
    await stop()
  })

const six = hasIpv6 ? security : security.skip
six('records are written and read through a broker with an IPv6 address', async () =>
  comesAndGoes({ broker: (await secureServers()).kafka.six, ssl: false }),
)

type Refusal = readonly [title: string, way: (servers: Servers) => Way, says: RegExp]

const refusals: ReadonlyArray<Refusal> = [
  ...(['plain', 'scram-sha-512'] as const).map(
    (mechanism): Refusal => [
      `a wrong password of ${mechanism} is reported with the variables of user and password`,
      ({ kafka, authority }) => ({
        broker: kafka.sasl,
        ssl: { ca: authority.own.cert },
        sasl: { ...user, mechanism, password: wrongPassword },
      }),
      /see KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD/,
    ],
  ),
  [
    'an authority that did not sign the certificate is reported with KAFKA_SSL_CA',
    ({ kafka, stranger }) => ({ broker: kafka.sasl, ssl: { ca: stranger.own.cert }, sasl: scram }),
    /the broker's certificate is not signed by an authority in KAFKA_SSL_CA/,
  ],
  [
    'without KAFKA_SSL_CA an authority that only we know is not trusted',
    ({ kafka }) => ({ broker: kafka.sasl, ssl: true, sasl: scram }),
    /the broker's certificate is not signed by an authority in KAFKA_SSL_CA/,
  ],
  [
    'a broker with another name than in its certificate is reported with KAFKA_BROKERS',
    ({ kafka, authority }) => ({
      broker: kafka.saslAtOtherName,
      ssl: { ca: authority.own.cert },
      sasl: scram,
    }),
    /not for this host: see KAFKA_BROKERS/,
  ],
  [
    'a broker that requires a certificate is reported with KAFKA_SSL_CERT',
    ({ kafka, authority }) => ({ broker: kafka.mutual, ssl: { ca: authority.own.cert } }),
    /see KAFKA_SSL_CERT and KAFKA_SSL_KEY/,
  ],
  [
    'TLS at a port without TLS is reported with KAFKA_SSL',
    ({ kafka, authority }) => ({ broker: kafka.plaintext, ssl: { ca: authority.own.cert } }),
    /this port does not use TLS: see KAFKA_SSL and KAFKA_BROKERS/,
  ],
]
for (const [title, way, says] of refusals)
  security(title, async () => {
    assert.match(await refusalOf(way(await secureServers())), says)
  })

security.run()
