import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { isLoopback, type Network, readNetworks } from '../bridge/http/client-address.ts'
import { percentDecoded } from '../bridge/shared/text.ts'

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

const certificatesIn = (text: string): ReadonlyArray<X509Certificate> =>
  [...text.matchAll(certificate)].map(([block]) => new X509Certificate(block))

const does = (attempt: () => boolean): boolean => {
  try {
    return attempt()
  } catch {
    return false
  }
}

/** True if the text has at least one certificate in PEM and all of them can be parsed. */
const isCertificates = (text: string): boolean => does(() => certificatesIn(text).length > 0)

/** True if the text is a private key in PEM without a password. */
const isPrivateKey = (text: string): boolean => does(() => createPrivateKey(text).type === 'private')

/** True if `key` belongs to the first certificate. The other certificates are its chain. */
export const isKeyOf = (certificates: string, key: string): boolean =>
  does(() => certificatesIn(certificates)[0]?.checkPrivateKey(createPrivateKey(key)) ?? false)

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]
export const saslMechanisms = ['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer'] as const
export type SaslMechanism = (typeof saslMechanisms)[number]

const plainSamplers = ['always_on', 'always_off', 'traceidratio'] as const
/** The names are those of OpenTelemetry's variable. */
const samplers = [...plainSamplers, ...plainSamplers.map((sampler) => `parentbased_${sampler}` as const)]

/** `database` is the path of the URL, or `livechat`. */
export type MongoConfig = { readonly url: string; readonly database: string }

/** Kubernetes sets HTTP_PORT=tcp://10.0.0.1:80 in each pod beside a Service with the name `http`. */
const isServiceLink = (text: string): boolean => /^(tcp|udp|sctp):\/\//.test(text)

/** The codec of a variable, and its value if it is absent or empty. */
class VariableType<A> extends t.Type<A, unknown, unknown> {
  readonly unset: A
  constructor(expected: string, read: (text: string) => A | undefined, unset: A, isTrimmed = true) {
    const validate: t.Validate<unknown, A> = (u, context) => {
      if (u === undefined) return t.success(unset)
      const text = isTrimmed ? String(u).trim() : String(u)
      const value = read(text)
      if (value !== undefined) return t.success(value)
      return text === '' || isServiceLink(text) ? t.success(unset) : t.failure(u, context, expected)
    }
    super(expected, (_): _ is A => true, validate, t.identity)
    this.unset = unset
  }
}

/** A variable that `read` parses. If it is absent or empty, its value is `unset`. `expected` describes valid text. */
const variable = <A>(expected: string, read: (text: string) => A | undefined, unset: A) =>
  new VariableType<A>(expected, read, unset)

const matching = <U extends string | undefined>(pattern: RegExp, expected: string, unset: U) =>
  variable<string | U>(expected, (text) => (pattern.test(text) ? text : undefined), unset)
const oneOf = <A extends string, U extends A | undefined>(values: ReadonlyArray<A>, unset: U) =>
  variable<A | U>(`one of ${values.join(', ')}`, (text) => values.find((value) => value === text.toLowerCase()), unset)
const wholeNumber = <U extends number | undefined>(from: number, to: number, unset: U) =>
  variable<number | U>(
    `a whole number from ${from} to ${to}`,
    (text) => (/^\d{1,13}$/.test(text) && Number(text) >= from && Number(text) <= to ? Number(text) : undefined),
    unset,
  )

/** A secret that somebody else has made: each of its characters counts, also a space at its end. */
const secret = () => new VariableType<string | undefined>('text', (text) => text || undefined, undefined, false)

const pem = (expected: string, isOne: (text: string) => boolean) =>
  variable<string | undefined>(expected, (text) => (isOne(text) ? text : undefined), undefined)

const brokers = (text: string) => {
  const list = text.split(',').map((broker) => broker.trim())
  return list.every((broker) => /^(\[[\da-f:]+\]|[\w.-]+):\d{1,5}$/i.test(broker)) ? list : undefined
}
const mongoUrl = (text: string): MongoConfig | undefined => {
  const path = /^mongodb(?:\+srv)?:\/\/[^/?]+(?:\/([^?]*))?(?:\?.*)?$/.exec(text)
  const database = percentDecoded(path?.[1] || 'livechat')
  return path === null || database === undefined ? undefined : { url: text, database }
}

const ratio = (text: string) => (/^(0|1|0?\.\d+|1\.0+)$/.test(text) ? Number(text) : undefined)

/** Traffic over a network must be encrypted, so plain http is allowed only on loopback. */
const safeUrl = (text: string): string | undefined => {
  const url = URL.parse(text)
  if (url === null || /[?#]|\/\/[^/]*@/.test(text)) return undefined
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname)) ? text : undefined
}
const proxyUrl = (text: string) => (/^https?:\/\/[^/?#]+\/?$/.test(text) && URL.canParse(text) ? text : undefined)
const tokenUrl = (text: string) => (safeUrl(text.replace(/\?[^#]*$/, '')) === undefined ? undefined : text)
/** The operators' port has these paths itself. */
const reserved = /^\/(livez|readyz|metrics)(\/|$)/i
const basePath = (text: string) => (/^(\/\w[\w.~-]*)+$/.test(text) && !reserved.test(text) ? text : undefined)
const httpsUrl = () =>
  variable<string | undefined>('an https:// URL, or an http:// URL of loopback, without query', safeUrl, undefined)

const networks = (text: string): ReadonlyArray<Network> | undefined =>
  E.getOrElse<string, ReadonlyArray<Network> | undefined>(() => undefined)(readNetworks(text))

/** `key=value` pairs with commas between them, percent-encoded, as OpenTelemetry reads them. */
const pairs = (isKey: RegExp, isValue: RegExp) => (text: string) => {
  const all = text.split(',')
  const valid = all.flatMap((pair) => {
    const [, ...parts] = /^([^=]+)=(.+)$/su.exec(pair) ?? []
    const [key, value] = parts.map((part) => percentDecoded(part.trim()))
    return key !== undefined && value !== undefined && isKey.test(key) && isValue.test(value) ? [[key, value]] : []
  })
  return valid.length === all.length ? Object.fromEntries(valid) : undefined
}
const headerPairs = () =>
  variable<Readonly<Record<string, string>> | undefined>(
    'header=value, more of them with commas, percent-encoded',
    pairs(/^[\w!#$%&'*+.^`|~-]+$/, /^[\t\x20-\x7e\x80-\xff]+$/),
    undefined,
  )
const collectorUrl = (text: string) =>
  /^https?:\/\/[^/?#]+[^?#]*$/.test(text) && URL.canParse(text) ? text : undefined
const pemFile = () =>
  variable<string | undefined>(
    'the path of a file in PEM that can be read',
    (path) => (does(() => readFileSync(path, 'utf8').includes('-----BEGIN ')) ? path : undefined),
    undefined,
  )
const wholeMs = () => wholeNumber(1, 3_600_000, undefined)
const compression = () => oneOf(['gzip', 'none'], undefined)

type Variable = t.Mixed & { readonly unset: unknown }
type Settings = Readonly<Record<string, Variable>>

/**
 * Settings that are explained together: in one row of the operator's guide. Without `about` they have no row there.
 * `unset` is the default in words, where a value that the bridge derives is meant, or none.
 */
type Group<S extends Settings, IsPlain extends boolean> = {
  readonly settings: S
  readonly unset?: string
  readonly about?: string
  /** Each becomes a part of the configuration under its own name in camelCase: DATA_DIR is `dataDir`. */
  readonly isPlain: IsPlain
}

const explained = <S extends Settings>(settings: S, about?: string, unset?: string): Group<S, false> => ({
  settings,
  isPlain: false,
  ...(about !== undefined && { about }),
  ...(unset !== undefined && { unset }),
})

const plain = <S extends Settings>(settings: S, about: string, unset?: string): Group<S, true> => ({
  ...explained(settings, about, unset),
  isPlain: true,
})

/**
 * The environment variables of the bridge, in the order of the operator's guide. Everything else is derived from them.
 */
export const settings = [
  explained(
    {
      KAFKA_BROKERS: variable<ReadonlyArray<string> | undefined>(
        'host:port, more of them with commas',
        brokers,
        undefined,
      ),
    },
    'comma-separated `host:port` or `[IPv6 address]:port`',
    'embedded',
  ),
  explained(
    {
      KAFKA_SSL: oneOf(['true', 'false'], 'false'),
      KAFKA_SASL_MECHANISM: oneOf(saslMechanisms, undefined),
      KAFKA_SASL_USERNAME: matching(/./, 'text', undefined),
      KAFKA_SASL_PASSWORD: secret(),
    },
    'mechanism `plain`, `scram-sha-256`, `scram-sha-512` or `oauthbearer`',
    'off',
  ),
  explained(
    {
      KAFKA_SASL_OAUTH_TOKEN_URL: variable<string | undefined>(
        'an https:// URL, or an http:// URL of loopback',
        tokenUrl,
        undefined,
      ),
      KAFKA_SASL_OAUTH_CLIENT_ID: matching(/./, 'text', undefined),
      KAFKA_SASL_OAUTH_CLIENT_SECRET: secret(),
      KAFKA_SASL_OAUTH_SCOPE: matching(/./, 'text', undefined),
    },
    'for `oauthbearer`, in place of user and password: the token endpoint of an OAuth 2.0 server, and the client for which it issues tokens (client credentials); the scope is optional',
    'none',
  ),
  explained(
    {
      KAFKA_SSL_CA: pem('certificates in PEM', isCertificates),
      KAFKA_SSL_CERT: pem('a certificate in PEM, with its chain', isCertificates),
      KAFKA_SSL_KEY: pem('a private key in PEM, without a password', isPrivateKey),
    },
    'PEM, usually given as `_FILE`: the trusted authorities, and the client certificate if brokers require one',
    "the system's authorities, no certificate",
  ),
  explained(
    { MONGODB_URL: variable<MongoConfig | undefined>('a mongodb:// URL', mongoUrl, undefined) },
    "the database is the URL's path, or `livechat`; set TLS and users with its options: `tls`, `tlsCAFile`, `tlsCertificateKeyFile`, `authSource`. Pool sizes, time-outs, `retryWrites` and `appName` count too; `w` and `readPreference` have no effect",
    'embedded',
  ),
  plain({ MONGOD_BINARY: matching(/./, 'the path of a mongod', undefined) }, 'the mongod to embed', 'found or fetched'),
  explained(
    { BRIDGE_CONFIG: matching(/./, 'the path of a file', undefined) },
    'path of the accounts file',
    'a demo account',
  ),
  explained(
    {
      HTTP_HOST: matching(/^[\w.:-]+$/, 'a host name or address', '127.0.0.1'),
      HTTP_PORT: wholeNumber(0, 65_535, undefined),
    },
    'port 0 chooses any free port',
    '`127.0.0.1`, `8080`',
  ),
  explained(
    { HTTP_KEEP_ALIVE_SECONDS: wholeNumber(1, 86_400, 620) },
    'seconds for which a connection that had a request with a right token may be idle: more than [the proxy in front](install.md#behind-a-proxy-or-load-balancer) keeps it; others are closed after 65 s',
  ),
  explained(
    {
      ADMIN_HOST: matching(/^[\w.:-]+$/, 'a host name or address', '127.0.0.1'),
      ADMIN_PORT: wholeNumber(0, 65_535, 8081),
    },
    "the operators' port: `/livez`, `/readyz` with reasons, `/metrics`, the console; port 0 chooses any free port",
  ),
  explained(
    {
      TRUSTED_PROXIES: variable<ReadonlyArray<Network>>(
        'addresses or networks as 10.0.0.0/8, with commas',
        networks,
        [],
      ),
    },
    "comma-separated addresses or networks (`10.0.0.0/8`) of the proxies whose `X-Forwarded-For` the bridge uses as the client's address",
    'none',
  ),
  explained(
    {
      TOPIC_PREFIX: matching(/^[\w.-]{0,100}$/, 'up to 100 of A-Z a-z 0-9 . _ -', 'livechat.'),
      TOPIC_PARTITIONS: wholeNumber(1, 10_000, 12),
      TOPIC_REPLICATION: wholeNumber(1, 100, undefined),
    },
    'for topics that the bridge creates',
    "`livechat.`, 12, the cluster's default",
  ),
  plain(
    { DATA_DIR: matching(/./, 'the path of a folder', '.data') },
    'embedded servers, downloads, journal, receipts of erasures',
  ),
  plain(
    { JOURNAL_MAX_BYTES: wholeNumber(0, 1_000_000_000_000, 1024 ** 3) },
    'the most disk space for the journal of a process',
  ),
  explained(
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: variable<string | undefined>(
        'the http:// or https:// URL of a Collector',
        collectorUrl,
        undefined,
      ),
    },
    'the Collector, by OTLP over HTTP; [which other `OTEL_*` variables count](monitor.md#traces)',
    'no traces',
  ),
  explained({
    OTEL_EXPORTER_OTLP_HEADERS: headerPairs(),
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: headerPairs(),
    OTEL_EXPORTER_OTLP_TIMEOUT: wholeMs(),
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: wholeMs(),
    OTEL_EXPORTER_OTLP_COMPRESSION: compression(),
    OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: compression(),
    OTEL_EXPORTER_OTLP_CERTIFICATE: pemFile(),
    OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: pemFile(),
    OTEL_EXPORTER_OTLP_CLIENT_KEY: pemFile(),
    OTEL_RESOURCE_ATTRIBUTES: variable<Readonly<Record<string, string>> | undefined>(
      'key=value, more of them with commas, percent-encoded',
      pairs(/^.{1,255}$/su, /^.{0,255}$/su),
      undefined,
    ),
    OTEL_EXPORTER_OTLP_PROTOCOL: oneOf(['http/protobuf'], undefined),
    OTEL_TRACES_SAMPLER: oneOf(samplers, 'parentbased_always_on'),
    OTEL_TRACES_SAMPLER_ARG: variable('a number from 0 to 1', ratio, 1),
  }),
  plain(
    {
      RETENTION_DAYS: variable<number | 'forever'>(
        'a number of days above 0, or forever',
        (text) => {
          if (text.toLowerCase() === 'forever') return 'forever'
          return /^\d{1,5}(\.\d{1,9})?$/.test(text) && Number(text) > 0 ? Number(text) : undefined
        },
        14,
      ),
    },
    'days after which the role archiver deletes records from event topics, once the archive has them; or `forever`',
  ),
  plain(
    { ARCHIVE_KEY_FILE: matching(/./, 'the path of a file', undefined) },
    'path of a JWK set of symmetric 256-bit keys: the first key wraps the data keys of the archive, all keys unwrap',
    'created in `DATA_DIR` if Kafka and MongoDB are both embedded',
  ),
  explained(
    {
      CONSOLE_URL: httpsUrl(),
      CONSOLE_OIDC_ISSUER: httpsUrl(),
      CONSOLE_OIDC_CLIENT_ID: matching(/./, 'text', undefined),
      CONSOLE_OIDC_CLIENT_SECRET: secret(),
      CONSOLE_SESSION_KEY: matching(/^.{32,}$/, 'at least 32 characters', undefined),
    },
    "set all five together: the public address of [the console](access.md#the-console) (`https://`), the OpenID Connect provider for sign-in and the client's id and secret there, and at least 32 random characters, the same for each process",
    'none: a sign-in link on loopback',
  ),
  explained(
    { CONSOLE_OIDC_GROUPS_CLAIM: matching(/./, 'the name of a claim', 'groups') },
    "the claim of the ID token or of the userinfo endpoint that has a person's groups: [for example](access.md#the-console) `roles` or `cognito:groups`",
  ),
  explained(
    {
      CONSOLE_BASE_PATH: variable(
        'a path such as /console, not below /livez, /readyz or /metrics',
        basePath,
        '/console',
      ),
    },
    'the path of the console',
  ),
  explained(
    {
      HTTPS_PROXY: variable<string | undefined>('an http:// or https:// URL', proxyUrl, undefined),
      NO_PROXY: matching(/./, 'host names with commas', undefined),
    },
    'the proxy for what the bridge calls over HTTPS (service, identity provider, token server; not Kafka, MongoDB and the Collector), and the comma-separated hosts that it calls without: `host`, `host:port` or `.example.com`, no networks',
    'none',
  ),
  explained(
    { TRACE_URL_TEMPLATE: matching(/^https?:\/\/\S*\{traceId\}/, 'a URL with {traceId}', undefined) },
    "a URL with `{traceId}`, for the console's pages",
    'no links to traces',
  ),
  plain({ LOG_LEVEL: oneOf(logLevels, 'info') }, 'structured logs on stdout'),
] as const

type AllOf<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void ? I : never
type Values<S> = { readonly [V in keyof S]: S[V] extends { readonly unset: infer A } ? A : never }
type Listed = (typeof settings)[number]

/** The value of each variable. */
export type Environment = Values<AllOf<Listed['settings']>>

/** The codec of each variable, by its name. */
export const variables: Readonly<Record<string, Variable>> = Object.assign(
  {},
  ...settings.map((group) => group.settings),
)

type Plain = Values<AllOf<Extract<Listed, { readonly isPlain: true }>['settings']>>
type Capitals<S extends string> = S extends `${infer Word}_${infer Rest}`
  ? `${Capitalize<Lowercase<Word>>}${Capitals<Rest>}`
  : Capitalize<Lowercase<S>>
type Camel<S extends string> = Uncapitalize<Capitals<S>>
type Required<S> = { readonly [V in keyof S as undefined extends S[V] ? never : Camel<V & string>]: S[V] }
type Optional<S> = {
  readonly [V in keyof S as undefined extends S[V] ? Camel<V & string> : never]?: Exclude<S[V], undefined>
}

/** The settings that are parts of the configuration as they are. */
export type PlainSettings = Required<Plain> & Optional<Plain>

const camelCase = (name: string) => name.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

export const plainSettings = (environment: Environment): PlainSettings =>
  Object.fromEntries(
    settings
      .filter(({ isPlain }) => isPlain)
      .flatMap((group) => Object.keys(group.settings))
      .flatMap((name) => {
        const value: unknown = Reflect.get(environment, name)
        return value === undefined ? [] : [[camelCase(name), value]]
      }),
  ) as PlainSettings
