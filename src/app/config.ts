import * as E from 'fp-ts/lib/Either.js'
import { type Problem, problemsOf } from '../../contracts/problem.ts'
import type { Account } from '../domain/accounts.ts'
import type { Network } from '../http/client-address.ts'
import { readAccounts } from './accounts-file.ts'
import { Environment, type LogLevel, type MongoConfig, type SaslMechanism } from './environment.ts'
import { isKeyOf } from './pem.ts'

export type Tls = { readonly ca?: string; readonly cert?: string; readonly key?: string }

export type KafkaConfig = {
  readonly brokers: ReadonlyArray<string>
  /** With more than `true`: whom to trust instead of the system's authorities, and who we are, in PEM. */
  readonly ssl: boolean | Tls
  readonly sasl?: { readonly mechanism: SaslMechanism; readonly username: string; readonly password: string }
}

/** What the environment says; `embedded` and `demo` stand for what the bridge brings along itself. */
export type Config = {
  readonly kafka: KafkaConfig | 'embedded'
  readonly mongo: MongoConfig | 'embedded'
  readonly mongodBinary?: string
  readonly accounts: ReadonlyArray<Account> | 'demo'
  /** Without a port, ingress takes 8080, and a process without ingress any free one. */
  readonly http: { readonly host: string; readonly port?: number; readonly trustedProxies: ReadonlyArray<Network> }
  readonly topics: { readonly prefix: string; readonly partitions: number; readonly replication?: number }
  readonly dataDir: string
  readonly journalMaxBytes: number
  readonly logLevel: LogLevel
}

export type Variables = Readonly<Record<string, string | undefined>>
export type ReadFile = (path: string) => E.Either<string, string>

/** The environment with each NAME_FILE replaced by what the file holds. */
const withFiles = (variables: Variables, readFile: ReadFile) => {
  const problems: Problem[] = []
  const values: Record<string, string | undefined> = {}
  for (const name of Object.keys(Environment.props)) {
    const path = variables[`${name}_FILE`]
    const file = path === undefined ? undefined : readFile(path)
    if (file !== undefined && variables[name] !== undefined)
      problems.push({ path: name, expected: `${name} or ${name}_FILE, not both` })
    else if (file !== undefined && E.isLeft(file))
      problems.push({ path: `${name}_FILE`, expected: `a file that can be read (${file.left})` })
    values[name] = file === undefined ? variables[name] : E.getOrElse<string, string | undefined>(() => undefined)(file)
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
        ...(e.KAFKA_SASL_MECHANISM && {
          sasl: {
            mechanism: e.KAFKA_SASL_MECHANISM,
            username: e.KAFKA_SASL_USERNAME ?? '',
            password: e.KAFKA_SASL_PASSWORD ?? '',
          },
        }),
      }

const missingCredentials = (e: Environment): Problem[] =>
  e.KAFKA_SASL_MECHANISM === undefined
    ? []
    : (['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'] as const)
        .filter((name) => e[name] === undefined)
        .map((path) => ({ path, expected: 'text, since KAFKA_SASL_MECHANISM is set' }))

/** What belongs together is there together; a certificate that nobody shows is a mistake, not a wish. */
const contradictions = (e: Environment): Problem[] => {
  const { KAFKA_SSL: ssl, KAFKA_SSL_CA: ca, KAFKA_SSL_CERT: cert, KAFKA_SSL_KEY: key } = e
  const without = cert === undefined ? 'KAFKA_SSL_CERT' : 'KAFKA_SSL_KEY'
  if (ssl !== 'true' && [ca, cert, key].some((part) => part !== undefined))
    return [{ path: 'KAFKA_SSL', expected: 'true, since a KAFKA_SSL_ variable is set' }]
  if ((cert === undefined) !== (key === undefined))
    return [{ path: without, expected: 'KAFKA_SSL_CERT and KAFKA_SSL_KEY together' }]
  return cert === undefined || key === undefined || isKeyOf(cert, key)
    ? []
    : [{ path: 'KAFKA_SSL_KEY', expected: 'the private key of KAFKA_SSL_CERT' }]
}

/** The whole configuration, or every mistake in it by path, never with a value: a value may be a secret. */
export const readConfig = (variables: Variables, readFile: ReadFile): E.Either<ReadonlyArray<Problem>, Config> => {
  const { problems, values } = withFiles(variables, readFile)
  const decoded = Environment.decode(values)
  const env = E.isRight(decoded) ? decoded.right : undefined
  const path = values.BRIDGE_CONFIG
  const accounts = path ? readAccounts(readFile(path)) : E.right('demo' as const)
  const all = [
    ...problems,
    ...(E.isLeft(decoded)
      ? problemsOf(decoded.left)
      : [...missingCredentials(decoded.right), ...contradictions(decoded.right)]),
    ...(E.isLeft(accounts) ? accounts.left : []),
  ]
  if (env === undefined || E.isLeft(accounts) || all.length > 0) return E.left(all)
  return E.right({
    kafka: kafkaOf(env),
    mongo: env.MONGODB_URL ?? 'embedded',
    ...(env.MONGOD_BINARY !== undefined && { mongodBinary: env.MONGOD_BINARY }),
    accounts: accounts.right,
    http: {
      host: env.HTTP_HOST ?? '',
      ...(env.HTTP_PORT !== undefined && { port: env.HTTP_PORT }),
      trustedProxies: env.TRUSTED_PROXIES,
    },
    topics: {
      prefix: env.TOPIC_PREFIX ?? '',
      partitions: env.TOPIC_PARTITIONS,
      ...(env.TOPIC_REPLICATION !== undefined && { replication: env.TOPIC_REPLICATION }),
    },
    dataDir: env.DATA_DIR ?? '',
    journalMaxBytes: env.JOURNAL_MAX_BYTES,
    logLevel: env.LOG_LEVEL ?? 'info',
  })
}

/** The only place where the process's environment is read. */
export const processVariables = (): Variables => process.env
