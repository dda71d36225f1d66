import { readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { describe, type Problem, problemsOf } from '../../contracts/problem.ts'
import type { Account } from '../bridge/domain/accounts.ts'
import type { Network } from '../bridge/http/client-address.ts'
import { tokensToEncode } from '../bridge/ingress/path-token.ts'
import type { KafkaSettings } from '../bridge/kafka/client.ts'
import type { urlProblems } from '../bridge/mongo/url.ts'
import { urlWarnings } from '../bridge/mongo/url-options.ts'
import type { ConsoleSettings } from '../console/console.ts'
import { notSafe } from '../console/not-safe.ts'
import { type Accounts, findDemoAccount, makeDemoAccount, readAccountsFile } from './accounts-file.ts'
import {
  type Environment,
  isKeyOf,
  type MongoConfig,
  type PlainSettings,
  plainSettings,
  type SaslMechanism,
  saslMechanisms,
  variables,
} from './environment.ts'
import { weakSecrets } from './weak-secrets.ts'

type Tls = { readonly ca?: string; readonly cert?: string; readonly key?: string }

export type KafkaConfig = {
  readonly brokers: ReadonlyArray<string>
  /** With `Tls`: PEM of the authorities that replace the system's, and of the bridge's own certificate and key. */
  readonly ssl: boolean | Tls
  readonly sasl?: NonNullable<KafkaSettings['sasl']>
}

/** `without`: the hosts that are called without it, with commas. */
export type ProxyConfig = { readonly url: string; readonly without: string }

/** Where traces go and which are sampled, as in the standard variables of OpenTelemetry. */
export type TracesConfig = {
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly sampler: string
  readonly ratio: number
}

/** The decoded environment. `embedded` is a server that the bridge starts, `demo` an account that it makes. */
export type Config = PlainSettings & {
  readonly kafka: KafkaConfig | 'embedded'
  readonly mongo: MongoConfig | 'embedded'
  readonly accounts: ReadonlyArray<Account> | 'demo'
  /** Without a port, a process with ingress takes 8080, and another process takes any free port. */
  readonly http: {
    readonly host: string
    readonly port?: number
    readonly keepAliveMs: number
    readonly trustedProxies: ReadonlyArray<Network>
  }
  /** The operators' port. */
  readonly admin: { readonly host: string; readonly port: number }
  readonly topics: { readonly prefix: string; readonly partitions: number; readonly replication?: number }
  /** For what the bridge calls over HTTPS. Its URL may have a password. */
  readonly proxy?: ProxyConfig
  /** Undefined if the bridge sends no traces. */
  readonly traces?: TracesConfig
  readonly console: ConsoleSettings
}

export type Variables = Readonly<Record<string, string | undefined>>
export type ReadFile = (path: string) => E.Either<string, string>

/** The environment, with each NAME_FILE replaced by the content of the file. */
const withFiles = (given: Variables, readFile: ReadFile) => {
  const problems: Problem[] = []
  const values: Record<string, string | undefined> = {}
  for (const name of Object.keys(variables)) {
    const path = given[`${name}_FILE`]
    const file = path === undefined ? undefined : readFile(path)
    if (file !== undefined && given[name] !== undefined)
      problems.push({ path: name, expected: `${name} or ${name}_FILE, not both` })
    else if (file !== undefined && E.isLeft(file))
      problems.push({ path: `${name}_FILE`, expected: `a file that can be read (${file.left})` })
    values[name] = file === undefined ? given[name] : E.getOrElse<string, string | undefined>(() => undefined)(file)
  }
  return { problems, values }
}

const tlsOf = ({ KAFKA_SSL_CA: ca, KAFKA_SSL_CERT: cert, KAFKA_SSL_KEY: key }: Environment): Tls | undefined =>
  ca === undefined && cert === undefined
    ? undefined
    : { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) }

const kafkaOf = (e: Environment): KafkaConfig | 'embedded' =>
  e.KAFKA_BROKERS === undefined
    ? 'embedded'
    : {
        brokers: e.KAFKA_BROKERS,
        ssl: e.KAFKA_SSL === 'true' && (tlsOf(e) ?? true),
        ...(e.KAFKA_SASL_MECHANISM && { sasl: saslOf(e, e.KAFKA_SASL_MECHANISM) }),
      }

const saslOf = (e: Environment, mechanism: SaslMechanism): NonNullable<KafkaConfig['sasl']> =>
  mechanism === 'oauthbearer'
    ? {
        mechanism,
        tokenUrl: e.KAFKA_SASL_OAUTH_TOKEN_URL ?? '',
        clientId: e.KAFKA_SASL_OAUTH_CLIENT_ID ?? '',
        clientSecret: e.KAFKA_SASL_OAUTH_CLIENT_SECRET ?? '',
        ...(e.KAFKA_SASL_OAUTH_SCOPE !== undefined && { scope: e.KAFKA_SASL_OAUTH_SCOPE }),
      }
    : { mechanism, username: e.KAFKA_SASL_USERNAME ?? '', password: e.KAFKA_SASL_PASSWORD ?? '' }

const userAndPassword = ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'] as const
const clientCredentials = [
  'KAFKA_SASL_OAUTH_TOKEN_URL',
  'KAFKA_SASL_OAUTH_CLIENT_ID',
  'KAFKA_SASL_OAUTH_CLIENT_SECRET',
] as const

const saslProblems = (e: Environment): Problem[] => {
  const { KAFKA_SASL_MECHANISM: mechanism } = e
  const [oauth] = [...clientCredentials, 'KAFKA_SASL_OAUTH_SCOPE' as const].filter((name) => e[name] !== undefined)
  if (oauth !== undefined && mechanism !== 'oauthbearer')
    return [{ path: 'KAFKA_SASL_MECHANISM', expected: `oauthbearer, since ${oauth} is set` }]
  const [given] = userAndPassword.filter((name) => e[name] !== undefined)
  if (mechanism === undefined)
    return given === undefined
      ? []
      : [{ path: 'KAFKA_SASL_MECHANISM', expected: `one of ${saslMechanisms.join(', ')}, since ${given} is set` }]
  return (mechanism === 'oauthbearer' ? clientCredentials : userAndPassword)
    .filter((name) => e[name] === undefined)
    .map((path) => ({ path, expected: `text, since KAFKA_SASL_MECHANISM is ${mechanism}` }))
}

/** Certificate and key need each other, and all KAFKA_SSL_ variables need KAFKA_SSL. Otherwise they have no effect. */
const sslProblems = (e: Environment): Problem[] => {
  const { KAFKA_SSL: ssl, KAFKA_SSL_CA: ca, KAFKA_SSL_CERT: cert, KAFKA_SSL_KEY: key } = e
  const problems: Problem[] = []
  if (ssl !== 'true' && [ca, cert, key].some((part) => part !== undefined))
    problems.push({ path: 'KAFKA_SSL', expected: 'true, since a KAFKA_SSL_ variable is set' })
  if ((cert === undefined) !== (key === undefined)) {
    const path = cert === undefined ? 'KAFKA_SSL_CERT' : 'KAFKA_SSL_KEY'
    problems.push({ path, expected: 'KAFKA_SSL_CERT and KAFKA_SSL_KEY together' })
  }
  if (cert !== undefined && key !== undefined && !isKeyOf(cert, key))
    problems.push({ path: 'KAFKA_SSL_KEY', expected: 'the private key of KAFKA_SSL_CERT' })
  return problems
}

const everyHost = ['0.0.0.0', '::', '[::]']

/** Port 0 takes any free one. */
const portProblems = (e: Environment): Problem[] => {
  const isShared = e.HTTP_HOST === e.ADMIN_HOST || [e.HTTP_HOST, e.ADMIN_HOST].some((host) => everyHost.includes(host))
  return e.ADMIN_PORT !== 0 && e.ADMIN_PORT === e.HTTP_PORT && isShared
    ? [{ path: 'ADMIN_PORT', expected: 'another port than HTTP_PORT' }]
    : []
}

const oidc = ['CONSOLE_OIDC_ISSUER', 'CONSOLE_OIDC_CLIENT_ID', 'CONSOLE_OIDC_CLIENT_SECRET'] as const

const consoleProblems = (e: Environment): Problem[] => {
  const path = e.CONSOLE_URL === undefined ? '/' : new URL(e.CONSOLE_URL).pathname.replace(/\/$/, '')
  const [given] = oidc.filter((name) => e[name] !== undefined)
  const missing = [...oidc, 'CONSOLE_URL', 'CONSOLE_SESSION_KEY'].filter(
    (name) => given !== undefined && e[name as keyof Environment] === undefined,
  )
  return [
    ...missing.map((path) => ({ path, expected: `a value, since ${given} is set` })),
    ...(['', '/', e.CONSOLE_BASE_PATH].includes(path)
      ? []
      : [{ path: 'CONSOLE_URL', expected: 'a URL with no path, or with that of CONSOLE_BASE_PATH' }]),
  ]
}

const consoleOf = (e: Environment, grants: Accounts['grants']): ConsoleSettings => {
  const { CONSOLE_OIDC_ISSUER: issuer, CONSOLE_OIDC_CLIENT_ID: clientId, CONSOLE_OIDC_CLIENT_SECRET: clientSecret } = e
  const isOidc = issuer !== undefined && clientId !== undefined && clientSecret !== undefined
  return {
    basePath: e.CONSOLE_BASE_PATH,
    grants,
    ...(e.CONSOLE_URL !== undefined && { origin: new URL(e.CONSOLE_URL).origin }),
    ...(isOidc && { oidc: { issuer, clientId, clientSecret, groupsClaim: e.CONSOLE_OIDC_GROUPS_CLAIM } }),
    ...(e.CONSOLE_SESSION_KEY !== undefined && { sessionKey: e.CONSOLE_SESSION_KEY }),
    ...(e.TRACE_URL_TEMPLATE !== undefined && { traceUrlTemplate: e.TRACE_URL_TEMPLATE }),
  }
}

/** Decodes each variable on its own. An invalid one counts as unset, so that mistakes in the others are still found. */
const decodeEach = (values: Variables) => {
  const problems: Problem[] = []
  const env = Object.entries(variables).map(([name, codec]) => {
    const decoded = codec.decode(values[name])
    if (E.isRight(decoded)) return [name, decoded.right]
    problems.push(...problemsOf(decoded.left).map(({ expected }) => ({ path: name, expected })))
    return [name, E.getOrElseW(() => undefined)(codec.decode(undefined))]
  })
  return { problems, env: Object.fromEntries(env) as Environment }
}

/** The whole configuration, or every mistake in it by path. A mistake never has the value, which may be a secret. */
export const readConfig = (
  given: Variables,
  readFile: ReadFile,
  problemsOfUrl: typeof urlProblems,
): E.Either<ReadonlyArray<Problem>, Config> => {
  const { problems: ofFiles, values } = withFiles(given, readFile)
  const { problems: ofVariables, env } = decodeEach(values)
  const path = values.BRIDGE_CONFIG
  const accounts = path ? readAccountsFile(readFile(path)) : E.right({ accounts: 'demo' as const, grants: [] })
  const known = new Set([...ofFiles, ...ofVariables].map((problem) => problem.path))
  const together = [
    ...saslProblems(env),
    ...sslProblems(env),
    ...consoleProblems(env),
    ...portProblems(env),
    ...(env.MONGODB_URL === undefined ? [] : problemsOfUrl(env.MONGODB_URL, readFile)),
  ].filter((problem) => !known.has(problem.path) && !known.has(`${problem.path}_FILE`))
  const all = [...ofFiles, ...ofVariables, ...together, ...(E.isLeft(accounts) ? accounts.left : [])]
  if (E.isLeft(accounts) || all.length > 0) return E.left(all)
  return E.right({
    ...plainSettings(env),
    kafka: kafkaOf(env),
    mongo: env.MONGODB_URL ?? 'embedded',
    accounts: accounts.right.accounts,
    http: {
      host: env.HTTP_HOST,
      ...(env.HTTP_PORT !== undefined && { port: env.HTTP_PORT }),
      keepAliveMs: env.HTTP_KEEP_ALIVE_SECONDS * 1_000,
      trustedProxies: env.TRUSTED_PROXIES,
    },
    admin: { host: env.ADMIN_HOST, port: env.ADMIN_PORT },
    topics: {
      prefix: env.TOPIC_PREFIX,
      partitions: env.TOPIC_PARTITIONS,
      ...(env.TOPIC_REPLICATION !== undefined && { replication: env.TOPIC_REPLICATION }),
    },
    ...(env.HTTPS_PROXY !== undefined && { proxy: { url: env.HTTPS_PROXY, without: env.NO_PROXY ?? '' } }),
    ...(env.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined && {
      traces: {
        endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
        headers: { ...env.OTEL_EXPORTER_OTLP_HEADERS, ...env.OTEL_EXPORTER_OTLP_TRACES_HEADERS },
        sampler: env.OTEL_TRACES_SAMPLER,
        ratio: env.OTEL_TRACES_SAMPLER_ARG,
      },
    }),
    console: consoleOf(env, accounts.right.grants),
  })
}

const ofBridge = /^(KAFKA_|MONGO|CONSOLE_|TOPIC_|HTTP_|ADMIN_|JOURNAL_|RETENTION_|ARCHIVE_|BRIDGE_)/
/**
 * What Kubernetes sets for a service that is named kafka, what other programs read, and the images of the compose
 * files.
 */
const ofOthers =
  /_SERVICE_(HOST|PORT)|_PORT_\d+_(TCP|UDP)|^HTTP_PROXY$|^KAFKA_(HEAP_|JMX_|LOG4J_|JVM_)?OPTS$|^(KAFKA|MONGO)_IMAGE$/

/** Mistakes that let the bridge run, but probably not as the operator means it. */
export const warningsOf = (given: Variables, config: Config): ReadonlyArray<string> => {
  const known = new Set(Object.keys(variables).flatMap((name) => [name, `${name}_FILE`]))
  const misspelt = Object.entries(given).flatMap(([name, value]) =>
    ofBridge.test(name) && !known.has(name) && !ofOthers.test(name) && !/^(tcp|udp):\/\//.test(value ?? '')
      ? [`${name}: the bridge has no such variable`]
      : [],
  )
  const unsafe = notSafe(config.console, config.admin.host)
  const isDefaultPort = config.http.port === undefined && config.admin.port === 8080
  return [
    ...misspelt,
    ...(config.mongo === 'embedded' ? [] : urlWarnings(config.mongo.url)),
    ...(unsafe === undefined ? [] : [`ADMIN_HOST: the console does not run: ${unsafe}`]),
    ...(isDefaultPort ? ['ADMIN_PORT: 8080 is the port of HTTP unless HTTP_PORT is set'] : []),
    ...(config.accounts === 'demo' ? [] : [...weakSecrets(config.accounts), ...tokensToEncode(config.accounts)]),
  ]
}

/** The only place that reads the environment of the process. */
const processVariables = (): Variables => process.env

/** The environment of this process for a process that it starts, with these variables instead of its own. */
export const environmentWith = (variables: Readonly<Record<string, string>>): NodeJS.ProcessEnv => {
  const files = Object.keys(variables).map((name) => `${name}_FILE`)
  const own = Object.entries(process.env).filter(([name]) => !files.includes(name))
  return { ...Object.fromEntries(own), ...variables }
}

const newline = 10

/**
 * The text of a file as its editor shows it: without a byte order mark, and without the line break at the end. Left:
 * another encoding, which would become other letters without a word. A password may end with a space.
 */
export const textOf = (bytes: Buffer): E.Either<string, string> => {
  const text = bytes.toString('utf8')
  const read = Buffer.from(text)
  if (read.equals(bytes)) return E.right(text.replace(/^\uFEFF/, '').replace(/\r?\n$/, ''))
  const at = read.findIndex((byte, i) => byte !== bytes[i])
  const line = bytes.subarray(0, at).filter((byte) => byte === newline).length + 1
  return E.left(`not UTF-8 in line ${line}: save it in that encoding`)
}

const readFile = (path: string): E.Either<string, string> => {
  const bytes = E.tryCatch(
    () => readFileSync(path),
    (error) => (error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'),
  )
  return E.isLeft(bytes) ? bytes : textOf(bytes.right)
}

/** EX_CONFIG of sysexits.h. */
export const exitOfWrongConfig = 78

export type Settings = Config & {
  readonly accounts: ReadonlyArray<Account>
  readonly demo: boolean
  /** Mistakes that let the bridge run. */
  readonly warnings?: ReadonlyArray<string>
}

/** The configuration with its accounts, or every mistake. With 'make' it makes the demo account if it is missing. */
export const settingsOf = async (account: 'make' | 'find'): Promise<E.Either<ReadonlyArray<Problem>, Settings>> => {
  const variables = processVariables()
  // MongoDB's driver checks its URL. The parent of front and back does not need the driver otherwise.
  const problemsOfUrl =
    variables.MONGODB_URL || variables.MONGODB_URL_FILE
      ? (await import('../bridge/mongo/url.ts')).urlProblems
      : () => []
  const config = readConfig(variables, readFile, problemsOfUrl)
  if (E.isLeft(config)) return config
  const { accounts, dataDir } = config.right
  const warnings = warningsOf(processVariables(), config.right)
  if (accounts !== 'demo') return E.right({ ...config.right, accounts, demo: false, warnings })
  const demo = account === 'make' ? await makeDemoAccount(dataDir) : await findDemoAccount(dataDir)
  return E.map((accounts: ReadonlyArray<Account>) => ({ ...config.right, accounts, demo: true, warnings }))(demo)
}

/** The same, but it prints every mistake to stderr and then returns undefined. */
export const readSettings = async (account: 'make' | 'find' = 'find'): Promise<Settings | undefined> => {
  const settings = await settingsOf(account)
  if (E.isRight(settings)) return settings.right
  for (const problem of settings.left) console.error(describe([problem]))
  return undefined
}
