import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Config, environmentWith, readConfig, textOf, type Variables, warningsOf } from '../../src/app/config.ts'
import { urlProblems } from '../../src/bridge/mongo/url.ts'
import { right } from '../support/either.ts'

const files: Readonly<Record<string, string>> = {
  '/accounts.json': JSON.stringify({
    accounts: [
      {
        id: 'acme',
        webhooks: { token: 'webhooks-token-0001' },
        bot: { token: 'bot-token-00000001', providerId: 'prov1', baseUrl: 'https://bot.example.com', attempts: 3 },
      },
    ],
    console: { grants: [{ group: 'support', role: 'lead', accounts: ['acme'] }] },
  }),
  '/wrong.json': JSON.stringify({
    accounts: [
      { id: 'a/b', webhooks: { token: 'short-secret' } },
      { id: 'acme', bot: { token: 'bot-token-00000001', providerId: 'p', baseUrl: 'ftp://x' } },
    ],
  }),
  '/repeated.json': JSON.stringify({
    accounts: [
      { id: 'acme', webhooks: { token: 'webhooks-token-0001' } },
      { id: 'acme', webhooks: { token: 'webhooks-token-0001' }, webhoks: {} },
    ],
  }),
  '/text.json': 'not json, but my-secret-value',
  '/password': 'my-secret-value',
}
const readFile = (path: string) => E.fromNullable('no such file')(files[path])
const read = (variables: Variables) => readConfig(variables, readFile, urlProblems)
const problems = (variables: Variables) =>
  E.match(
    (left: ReadonlyArray<{ path: string }>) => left.map(({ path }) => path),
    () => [] as string[],
  )(read(variables))

const config = suite('config')

config('an empty environment selects embedded servers and the demo account', () => {
  assert.equal(
    read({}),
    E.right({
      kafka: 'embedded',
      mongo: 'embedded',
      accounts: 'demo',
      http: { host: '127.0.0.1', keepAliveMs: 620_000, trustedProxies: [] },
      admin: { host: '127.0.0.1', port: 8081 },
      topics: { prefix: 'livechat.', partitions: 12 },
      dataDir: '.data',
      journalMaxBytes: 1024 ** 3,
      retentionDays: 14,
      console: { basePath: '/console', grants: [] },
      logLevel: 'info',
    }),
  )
})

config('every variable is decoded into its setting', () => {
  assert.equal(
    read({
      KAFKA_BROKERS: 'k1:9092, k2:9092',
      KAFKA_SSL: 'true',
      KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
      KAFKA_SASL_USERNAME: 'bridge',
      KAFKA_SASL_PASSWORD_FILE: '/password',
      MONGODB_URL: 'mongodb://m1,m2/prod?replicaSet=rs0',
      MONGOD_BINARY: '/opt/mongod',
      BRIDGE_CONFIG: '/accounts.json',
      HTTP_HOST: '0.0.0.0',
      HTTP_PORT: '0',
      HTTP_KEEP_ALIVE_SECONDS: '4000',
      ADMIN_HOST: '10.0.0.1',
      ADMIN_PORT: '0',
      TRUSTED_PROXIES: '10.0.0.0/8, ::1',
      TOPIC_PREFIX: '',
      TOPIC_PARTITIONS: '6',
      TOPIC_REPLICATION: '3',
      DATA_DIR: '/var/lib/bridge',
      JOURNAL_MAX_BYTES: '5000',
      RETENTION_DAYS: 'forever',
      ARCHIVE_KEY_FILE: '/run/secrets/archive.json',
      CONSOLE_URL: 'https://Chats.example.com/tools/',
      CONSOLE_BASE_PATH: '/tools',
      CONSOLE_OIDC_ISSUER: 'https://login.example.com/realm',
      CONSOLE_OIDC_GROUPS_CLAIM: 'roles',
      CONSOLE_OIDC_CLIENT_ID: 'livechat',
      CONSOLE_OIDC_CLIENT_SECRET_FILE: '/password',
      CONSOLE_SESSION_KEY: '0123456789abcdef0123456789abcdef',
      TRACE_URL_TEMPLATE: 'https://traces.example.com/{traceId}',
      LOG_LEVEL: 'warn',
    }),
    E.right({
      kafka: {
        brokers: ['k1:9092', 'k2:9092'],
        ssl: true,
        sasl: { mechanism: 'scram-sha-512', username: 'bridge', password: 'my-secret-value' },
      },
      mongo: { url: 'mongodb://m1,m2/prod?replicaSet=rs0', database: 'prod' },
      mongodBinary: '/opt/mongod',
      accounts: [
        {
          id: 'acme',
          requestsPerSecond: 20_000,
          timeZone: 'UTC',
          webhooks: { token: 'webhooks-token-0001' },
          bot: {
            token: 'bot-token-00000001',
            providerId: 'prov1',
            baseUrl: 'https://bot.example.com',
            replyWithin: 10_000,
            attempts: 3,
            deadlineMs: 300_000,
            timeouts: 3,
          },
        },
      ],
      http: {
        host: '0.0.0.0',
        port: 0,
        keepAliveMs: 4_000_000,
        trustedProxies: [
          { address: '10.0.0.0', prefix: 8, family: 'ipv4' },
          { address: '::1', prefix: 128, family: 'ipv6' },
        ],
      },
      admin: { host: '10.0.0.1', port: 0 },
      topics: { prefix: '', partitions: 6, replication: 3 },
      dataDir: '/var/lib/bridge',
      journalMaxBytes: 5000,
      retentionDays: 'forever',
      archiveKeyFile: '/run/secrets/archive.json',
      console: {
        basePath: '/tools',
        grants: [{ group: 'support', role: 'lead', accounts: ['acme'] }],
        origin: 'https://chats.example.com',
        oidc: {
          issuer: 'https://login.example.com/realm',
          clientId: 'livechat',
          clientSecret: 'my-secret-value',
          groupsClaim: 'roles',
        },
        sessionKey: '0123456789abcdef0123456789abcdef',
        traceUrlTemplate: 'https://traces.example.com/{traceId}',
      },
      logLevel: 'warn',
    }),
  )
})

config('the console and its provider require https, except on loopback', () => {
  const url = (CONSOLE_URL: string) => problems({ CONSOLE_URL })
  assert.equal(url('http://chats.example.com'), ['CONSOLE_URL'])
  assert.equal(url('http://127.0.0.1.example.com'), ['CONSOLE_URL'])
  assert.equal(url('https://user:secret@chats.example.com'), ['CONSOLE_URL'])
  assert.equal(url('https://chats.example.com/elsewhere'), ['CONSOLE_URL'])
  for (const right of ['https://chats.example.com', 'https://chats.example.com/console', 'http://localhost:8081/', ''])
    assert.equal(url(right), [], right)
})

config('the database is the path of the URL, or livechat', () => {
  const database = (url: string) => E.map((config: Config) => config.mongo)(read({ MONGODB_URL: url }))
  assert.equal(database('mongodb://m1:27017'), E.right({ url: 'mongodb://m1:27017', database: 'livechat' }))
  assert.equal(database('mongodb://m1/?w=1'), E.right({ url: 'mongodb://m1/?w=1', database: 'livechat' }))
  assert.equal(database('mongodb://m1/pr%C3%B3d'), E.right({ url: 'mongodb://m1/pr%C3%B3d', database: 'pród' }))
})

config('all mistakes are reported at once, by path', () => {
  assert.equal(
    problems({
      KAFKA_BROKERS: 'nowhere',
      KAFKA_SSL: 'maybe',
      HTTP_PORT: '70000',
      LOG_LEVEL: 'loud',
      MONGODB_URL_FILE: '/missing',
      BRIDGE_CONFIG: '/wrong.json',
    }),
    [
      'MONGODB_URL_FILE',
      'KAFKA_BROKERS',
      'KAFKA_SSL',
      'HTTP_PORT',
      'LOG_LEVEL',
      'BRIDGE_CONFIG accounts.0.id',
      'BRIDGE_CONFIG accounts.0.webhooks.token',
      'BRIDGE_CONFIG accounts.1.bot.baseUrl',
    ],
  )
})

config('variables that belong together are checked even if other variables are wrong', () => {
  assert.equal(
    problems({
      LOG_LEVEL: 'loud',
      KAFKA_SASL_MECHANISM: 'plain',
      KAFKA_SASL_PASSWORD_FILE: '/missing',
      MONGODB_URL: 'mongodb://m1/?nonsense=1',
      BRIDGE_CONFIG: '/repeated.json',
    }),
    [
      'KAFKA_SASL_PASSWORD_FILE',
      'LOG_LEVEL',
      'KAFKA_SASL_USERNAME',
      'MONGODB_URL',
      'BRIDGE_CONFIG accounts.1.webhoks',
      'BRIDGE_CONFIG accounts.1.id',
      'BRIDGE_CONFIG accounts.1.webhooks.token',
    ],
  )
})

config('a problem never holds a value, which may be a secret', () => {
  const secret = 'my-secret-value'
  const told = JSON.stringify([
    read({ MONGODB_URL: secret, KAFKA_BROKERS: secret, HTTP_PORT: secret, BRIDGE_CONFIG: '/text.json' }),
    read({ BRIDGE_CONFIG: '/wrong.json' }),
  ])
  assert.not.match(told, secret)
  assert.not.match(told, 'short-secret')
})

const account = 'BRIDGE_CONFIG accounts.1'
const refused: ReadonlyArray<readonly [string, Variables, ReadonlyArray<string>]> = [
  [
    'the variables of OpenID Connect belong together',
    { CONSOLE_OIDC_ISSUER: 'https://login.example.com' },
    ['CONSOLE_OIDC_CLIENT_ID', 'CONSOLE_OIDC_CLIENT_SECRET', 'CONSOLE_URL', 'CONSOLE_SESSION_KEY'],
  ],
  ['a short key', { CONSOLE_SESSION_KEY: 'short' }, ['CONSOLE_SESSION_KEY']],
  ['a template without the trace', { TRACE_URL_TEMPLATE: 'https://x.example' }, ['TRACE_URL_TEMPLATE']],
  [
    'an account file that repeats an id and a token, and has a key that is not known',
    { BRIDGE_CONFIG: '/repeated.json' },
    [`${account}.webhoks`, `${account}.id`, `${account}.webhooks.token`],
  ],
  ['a variable with its _FILE variant', { DATA_DIR: 'x', DATA_DIR_FILE: '/password' }, ['DATA_DIR']],
  [
    'SASL without a user and a password',
    { KAFKA_BROKERS: 'k:1', KAFKA_SASL_MECHANISM: 'plain' },
    ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'],
  ],
  [
    'a SASL user without a mechanism',
    { KAFKA_BROKERS: 'k:1', KAFKA_SASL_USERNAME: 'bridge' },
    ['KAFKA_SASL_MECHANISM'],
  ],
  [
    'tokens for Kafka without the client',
    { KAFKA_BROKERS: 'k:1', KAFKA_SASL_MECHANISM: 'oauthbearer', KAFKA_SASL_USERNAME: 'bridge' },
    ['KAFKA_SASL_OAUTH_TOKEN_URL', 'KAFKA_SASL_OAUTH_CLIENT_ID', 'KAFKA_SASL_OAUTH_CLIENT_SECRET'],
  ],
  [
    'a client of tokens with another mechanism',
    { KAFKA_BROKERS: 'k:1', KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_OAUTH_SCOPE: 'kafka' },
    ['KAFKA_SASL_MECHANISM'],
  ],
  ['a port that is used twice', { HTTP_PORT: '8081' }, ['ADMIN_PORT']],
  ['a port on every address', { HTTP_PORT: '9000', ADMIN_PORT: '9000', ADMIN_HOST: '0.0.0.0' }, ['ADMIN_PORT']],
]
for (const [what, variables, paths] of refused)
  config(`refused: ${what}`, () => assert.equal(problems(variables), paths))

const wrongValues: Readonly<Record<string, ReadonlyArray<string>>> = {
  KAFKA_SASL_OAUTH_TOKEN_URL: ['http://login.example.com/token', 'https://user:secret@login.example.com/token'],
  HTTPS_PROXY: ['proxy:3128', 'socks5://proxy:1080'],
  MONGODB_URL: ['mongodb://m1/%zz', 'mongodb://m1/%E0%A4'],
  CONSOLE_BASE_PATH: ['/../x', '/metrics', '/readyz', '/livez/console'],
  OTEL_EXPORTER_OTLP_HEADERS: ['no-value', 'a=b,=c', 'a=%zz', 'a b=c', 'a=b%0Ac'],
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: ['Authorization: Bearer x'],
  OTEL_EXPORTER_OTLP_TIMEOUT: ['10s'],
  OTEL_EXPORTER_OTLP_COMPRESSION: ['zip'],
  OTEL_EXPORTER_OTLP_CERTIFICATE: ['/no/such/file'],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['http://collector:99999', 'http://collector:4318/?a=b'],
  OTEL_RESOURCE_ATTRIBUTES: ['deployment'],
}
for (const [name, values] of Object.entries(wrongValues))
  for (const value of values)
    config(`refused: ${name}=${value}`, () => assert.equal(problems({ [name]: value }), [name]))

config('what OpenTelemetry can use is accepted', () => {
  assert.equal(
    problems({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20x, x-scope=1',
      OTEL_EXPORTER_OTLP_TIMEOUT: '10000',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test,host.name=a%2Cb',
      HTTP_PORT: '0',
      ADMIN_PORT: '0',
    }),
    [],
  )
})

config('variables that the bridge does not have, and a console that will not run, are warnings', () => {
  const warnings = (variables: Variables) =>
    E.match(
      () => ['invalid'],
      (settings: Config) => warningsOf(variables, settings).map((text) => text.slice(0, text.indexOf(':'))),
    )(read(variables))
  assert.equal(
    warnings({
      KAFKA_BROKER: 'x:1',
      MONGO_URL: 'x',
      TOPIC_PREFFIX: 'x',
      CONSOLE_OIDC: 'x',
      HTTP_PROXY: 'x',
      KAFKA_IMAGE: 'x',
      MONGO_IMAGE: 'x',
      KAFKA_SERVICE_HOST: 'x',
      KAFKA_PORT: 'tcp://10.0.0.1:9092',
      KAFKA_SASL_PASSWORD_FILE: '/password',
      KAFKA_SASL_MECHANISM: 'plain',
      KAFKA_SASL_USERNAME: 'u',
      ADMIN_HOST: '0.0.0.0',
    }),
    ['KAFKA_BROKER', 'MONGO_URL', 'TOPIC_PREFFIX', 'CONSOLE_OIDC', 'ADMIN_HOST'],
  )
  assert.equal(warnings({ ADMIN_PORT: '8080' }), ['ADMIN_PORT'])
  assert.equal(warnings({}), [])
})

const encodings: ReadonlyArray<readonly [string, Buffer, E.Either<string, string>]> = [
  ['with a byte order mark', Buffer.from('\uFEFF{ "id": "Köln" }\n'), E.right('{ "id": "Köln" }')],
  ['with a space and a line break of Windows at its end', Buffer.from('a password \r\n'), E.right('a password ')],
  ['in Latin-1', Buffer.from('{\n "a": "é",\n', 'latin1'), E.left('not UTF-8 in line 2: save it in that encoding')],
  ['in UTF-16', Buffer.from('\uFEFF{}', 'utf16le'), E.left('not UTF-8 in line 1: save it in that encoding')],
]
for (const [what, bytes, expected] of encodings)
  config(`a file ${what} is read, or refused in words`, () => assert.equal(textOf(bytes), expected))

config('a password is used byte for byte, and other values without the spaces around them', () => {
  const kafka = right(
    read({
      KAFKA_BROKERS: ' k:1 ',
      KAFKA_SASL_MECHANISM: 'plain',
      KAFKA_SASL_USERNAME: ' bridge ',
      KAFKA_SASL_PASSWORD: ' two spaces ',
    }),
  ).kafka
  assert.equal(kafka, {
    brokers: ['k:1'],
    ssl: false,
    sasl: { mechanism: 'plain', username: 'bridge', password: ' two spaces ' },
  })
})

config('the variables of a Service of Kubernetes with the name of a setting count as unset', () => {
  const linked = right(read({ HTTP_PORT: 'tcp://10.0.0.1:80', ADMIN_PORT: 'tcp://10.0.0.2:81' }))
  assert.equal([linked.http.port, linked.admin.port], [undefined, 8081])
})

config('the proxy and the hosts without it', () => {
  const proxied = read({ HTTPS_PROXY: 'http://user:secret@proxy:3128', NO_PROXY: 'localhost,.internal' })
  assert.equal(right(proxied).proxy, { url: 'http://user:secret@proxy:3128', without: 'localhost,.internal' })
})

config('a client gets tokens for Kafka', () => {
  const variables = {
    KAFKA_BROKERS: 'k:1',
    KAFKA_SASL_MECHANISM: 'OAUTHBEARER',
    KAFKA_SASL_OAUTH_TOKEN_URL: 'https://login.example.com/token?p=policy',
    KAFKA_SASL_OAUTH_CLIENT_ID: 'bridge',
    KAFKA_SASL_OAUTH_CLIENT_SECRET_FILE: '/password',
  }
  const sasl = {
    mechanism: 'oauthbearer',
    tokenUrl: 'https://login.example.com/token?p=policy',
    clientId: 'bridge',
    clientSecret: 'my-secret-value',
  }
  assert.equal(right(read(variables)).kafka, { brokers: ['k:1'], ssl: false, sasl })
  const scoped = { ...variables, KAFKA_SASL_OAUTH_SCOPE: 'kafka' }
  assert.equal(right(read(scoped)).kafka, { brokers: ['k:1'], ssl: false, sasl: { ...sasl, scope: 'kafka' } })
})

config('a process that this one starts can have other variables, also where this one has a file of them', () => {
  process.env.HTTP_PORT_FILE = '/run/port'
  const { HTTP_PORT, HTTP_PORT_FILE, PATH } = environmentWith({ HTTP_PORT: '0' })
  delete process.env.HTTP_PORT_FILE
  assert.equal([HTTP_PORT, HTTP_PORT_FILE, PATH], ['0', undefined, process.env.PATH])
})

config.run()
