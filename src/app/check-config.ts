import * as E from 'fp-ts/lib/Either.js'
import { describe } from '../../contracts/problem.ts'
import type { KafkaConfig } from './config.ts'
import { exitOfWrongConfig, type Settings, settingsOf } from './settings.ts'

const shownBy = (ssl: KafkaConfig['ssl']) =>
  typeof ssl === 'object' && ssl.cert !== undefined ? ' with a client certificate' : ''

const kafkaText = (kafka: Settings['kafka']) =>
  kafka === 'embedded'
    ? 'embedded'
    : `${kafka.brokers.join(',')}${kafka.ssl ? ' over TLS' : ''}${shownBy(kafka.ssl)}${kafka.sasl ? `, ${kafka.sasl.mechanism}` : ''}`

/** What the configuration comes to, without its secrets. */
const summaryOf = ({ kafka, mongo, accounts, http, topics, dataDir, logLevel, demo }: Settings) => ({
  kafka: kafkaText(kafka),
  mongodb: mongo === 'embedded' ? 'embedded' : `database ${mongo.database}`,
  http: `${http.host}:${http.port ?? 8080}`,
  topics: {
    prefix: topics.prefix,
    partitions: topics.partitions,
    replication: topics.replication ?? "the cluster's default",
  },
  dataDir,
  logLevel,
  demo,
  accounts: accounts.map(({ id, webhooks, bot }) => ({
    id,
    has: [webhooks && 'webhooks', bot && 'bot', bot?.authorization && 'authorization'].filter((it) => it !== undefined),
  })),
})

const linesOf = ({ kafka, mongodb, http, topics, dataDir, logLevel, demo, accounts }: ReturnType<typeof summaryOf>) =>
  [
    ['Kafka', kafka],
    ['MongoDB', mongodb],
    ['HTTP', http],
    ['Topics', `${topics.prefix}*, ${topics.partitions} partitions, replication ${topics.replication}`],
    ['Data', dataDir],
    ['Logs', logLevel],
    ...accounts.map(({ id, has }) => [demo ? 'Demo account' : 'Account', [id, ...has].join(', ')]),
    ...(demo && accounts.length === 0 ? [['Demo account', 'made when the bridge starts']] : []),
  ].map(([name = '', value = '']) => `${name.padEnd(13)}${value}`)

/** Prints what the configuration comes to, or every mistake in it: as lines, or as one object of JSON. */
export const checkConfig = async ({ json = false }: { readonly json?: boolean }): Promise<number> => {
  const settings = await settingsOf('find')
  if (json) {
    const told = E.isRight(settings)
      ? { valid: true, ...summaryOf(settings.right) }
      : { valid: false, problems: settings.left }
    console.log(JSON.stringify(told, null, 2))
  } else if (E.isRight(settings)) {
    for (const line of linesOf(summaryOf(settings.right))) console.log(line)
    console.log('The configuration is valid.')
  } else for (const problem of settings.left) console.error(describe([problem]))
  return E.isRight(settings) ? 0 : exitOfWrongConfig
}
