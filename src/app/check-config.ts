import * as E from 'fp-ts/lib/Either.js'
import { describe, type Problem } from '../../contracts/problem.ts'
import { hostInUrl } from '../bridge/http/client-address.ts'
import { type Done, operation, type Stop } from '../bridge/operations/operation.ts'
import { notSafe } from '../console/not-safe.ts'
import { wrappingKeysOf } from './archive-keys.ts'
import { exitOfWrongConfig, type KafkaConfig, type Settings, settingsOf } from './config.ts'
import type { Connection } from './connections.ts'
import type { Words } from './terminal/words.ts'

const shownBy = (ssl: KafkaConfig['ssl']) =>
  typeof ssl === 'object' && ssl.cert !== undefined ? ' with a client certificate' : ''

const kafkaText = (kafka: Settings['kafka']) =>
  kafka === 'embedded'
    ? 'embedded'
    : `${kafka.brokers.join(',')}${kafka.ssl ? ' over TLS' : ''}${shownBy(kafka.ssl)}${kafka.sasl ? `, ${kafka.sasl.mechanism}` : ''}`

/** A summary of the configuration, without secrets. */
const summaryOf = ({
  kafka,
  mongo,
  accounts,
  http,
  admin,
  topics,
  dataDir,
  console,
  logLevel,
  demo,
  warnings,
}: Settings) => ({
  kafka: kafkaText(kafka),
  mongodb: mongo === 'embedded' ? 'embedded' : `database ${mongo.database}`,
  http: `${hostInUrl(http.host)}:${http.port ?? 8080}`,
  admin: `${hostInUrl(admin.host)}:${admin.port}`,
  topics: {
    prefix: topics.prefix,
    partitions: topics.partitions,
    replication: topics.replication ?? "the cluster's default",
  },
  console: {
    runs: notSafe(console, admin.host) === undefined,
    url: `${console.origin ?? `http://${hostInUrl(admin.host)}:${admin.port}`}${console.basePath}`,
    signIn: console.oidc === undefined ? 'by a link, on loopback' : `at ${console.oidc.issuer}`,
    grants: console.grants.length,
  },
  dataDir,
  logLevel,
  demo,
  accounts: accounts.map(({ id, webhooks, bot }) => ({
    id,
    has: [webhooks && 'webhooks', bot && 'bot', bot?.authorization && 'authorization'].filter(
      (part) => part !== undefined,
    ),
  })),
  warnings: warnings ?? [],
})

/** The configuration, or all mistakes in it. `reason`: the mistakes as text. */
type Checked =
  | ({ readonly valid: true; readonly connections?: ReadonlyArray<Connection> } & ReturnType<typeof summaryOf>)
  | { readonly valid: false; readonly problems: ReadonlyArray<Problem>; readonly reason: string }

export const checkConfig = operation({
  name: 'check-config',
  summary: 'check the environment and the accounts file and print every mistake; exit code 78 if there is one',
  options: {
    connect: {
      about: 'also ask Kafka, MongoDB, the identity provider and each service; exit code 1 if one lacks something',
    },
  },
  json: 'print it as JSON',
  needs: {},
  select: async (_, { connect = false }) => E.right({ connect, settings: await settingsOf('find') }),
  act: async (_, { connect, settings }): Promise<E.Either<Stop, Done<Checked>>> => {
    const wrong = (problems: ReadonlyArray<Problem>, reason: string) =>
      E.right({ code: exitOfWrongConfig, result: { valid: false as const, problems, reason } })
    if (E.isLeft(settings)) return wrong(settings.left, settings.left.map((problem) => describe([problem])).join('\n'))
    const keys = wrappingKeysOf(settings.right, false)
    if (E.isLeft(keys))
      return wrong([{ path: 'ARCHIVE_KEY_FILE', expected: 'a readable file with a JWK set of keys' }], keys.left)
    if (!connect) return E.right({ code: 0, result: { valid: true, ...summaryOf(settings.right) } })
    // Kafka's and MongoDB's code is loaded only if somebody asks for it.
    const connections = await (await import('./connections.ts')).checkConnections(settings.right)
    return E.right({
      code: connections.every(({ ok }) => ok) ? 0 : 1,
      result: { valid: true, ...summaryOf(settings.right), connections },
    })
  },
})

const linesOf = ({
  kafka,
  mongodb,
  http,
  admin,
  topics,
  console,
  dataDir,
  logLevel,
  demo,
  accounts,
}: Extract<Checked, { valid: true }>) =>
  [
    ['Kafka', kafka],
    ['MongoDB', mongodb],
    ['HTTP', http],
    ['Operators', admin],
    ['Topics', `${topics.prefix}*, ${topics.partitions} partitions, replication ${topics.replication}`],
    ['Console', console.runs ? `${console.url}, sign-in ${console.signIn}` : 'does not run'],
    ['Data', dataDir],
    ['Logs', logLevel],
    ...accounts.map(({ id, has }) => [demo ? 'Demo account' : 'Account', [id, ...has].join(', ')]),
    ...(demo && accounts.length === 0 ? [['Demo account', 'made when the bridge starts']] : []),
  ].map(([name = '', value = '']) => `${name.padEnd(13)}${value}`)

export const checkConfigWords: Words<never, Checked> = {
  result: (checked) =>
    checked.valid
      ? [
          ...checked.warnings.map((warning) => ({ err: `Warning: ${warning}.` })),
          ...linesOf(checked),
          'The configuration is valid.',
          ...(checked.connections ?? []).map(({ to, ok, reason }) =>
            ok ? `${to}: ${reason}` : { err: `! ${to}: ${reason}` },
          ),
        ]
      : [{ err: checked.reason }],
  json: (checked) => (checked.valid ? checked : { valid: false, problems: checked.problems }),
}
