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
  assert.not.ok(said.includes('PRIVATE KEY') || (way.sasl && said.includes(way.sasl.password)))
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
