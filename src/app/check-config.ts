import type { KafkaConfig } from './config.ts'
import { exitOfWrongConfig, readSettings } from './settings.ts'

const shownBy = (ssl: KafkaConfig['ssl']) =>
  typeof ssl === 'object' && ssl.cert !== undefined ? ' with a client certificate' : ''

/** Prints what the configuration comes to, without its secrets, or every mistake in it. */
export const checkConfig = async (): Promise<number> => {
  const settings = await readSettings()
  if (settings === undefined) return exitOfWrongConfig
  const { kafka, mongo, accounts, http, topics, dataDir, logLevel, demo } = settings
  const rows: ReadonlyArray<readonly [string, string]> = [
    [
      'Kafka',
      kafka === 'embedded'
        ? 'embedded'
        : `${kafka.brokers.join(',')}${kafka.ssl ? ' over TLS' : ''}${shownBy(kafka.ssl)}${kafka.sasl ? `, ${kafka.sasl.mechanism}` : ''}`,
    ],
    ['MongoDB', mongo === 'embedded' ? 'embedded' : `database ${mongo.database}`],
    ['HTTP', `${http.host}:${http.port ?? 8080}`],
    [
      'Topics',
      `${topics.prefix}*, ${topics.partitions} partitions, replication ${topics.replication ?? "the cluster's default"}`,
    ],
    ['Data', dataDir],
    ['Logs', logLevel],
    ...accounts.map(
      ({ id, webhooks, bot }) =>
        [
          demo ? 'Demo account' : 'Account',
          [id, webhooks && 'webhooks', bot && 'bot', bot?.authorization && 'authorization'].filter(Boolean).join(', '),
        ] as const,
    ),
  ]
  for (const [name, value] of rows) console.log(`${name.padEnd(13)}${value}`)
  console.log('The configuration is valid.')
  return 0
}
