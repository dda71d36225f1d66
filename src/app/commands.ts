import { Command, InvalidArgumentError } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { describe } from '../../contracts/problem.ts'
import { consoleCommand } from '../console/command.ts'
import { operations } from '../operations/index.ts'
import { contractsCommand } from '../publishing/command.ts'
import { addOperations } from './command-line.ts'
import { exitOfWrongConfig, type KafkaConfig, type Settings, settingsOf } from './config.ts'
import { type DemoOptions, demo } from './demo.ts'
import { type Role, roles } from './roles.ts'
import { execute } from './run-operation.ts'
import { findRunning } from './running.ts'
import { withBothServers } from './servers.ts'
import { start } from './start.ts'
import { type TopicsOptions, topics } from './topics.ts'
import { version } from './version.ts'

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
  http: `${http.host}:${http.port ?? 8080}`,
  admin: `${admin.host}:${admin.port}`,
  topics: {
    prefix: topics.prefix,
    partitions: topics.partitions,
    replication: topics.replication ?? "the cluster's default",
  },
  console: {
    url: `${console.origin ?? `http://${admin.host}:${admin.port}`}${console.basePath}`,
    signIn: console.oidc === undefined ? 'by a link, on loopback' : `at ${console.oidc.issuer}`,
    grants: console.grants.length,
  },
  dataDir,
  logLevel,
  demo,
  accounts: accounts.map(({ id, webhooks, bot }) => ({
    id,
    has: [webhooks && 'webhooks', bot && 'bot', bot?.authorization && 'authorization'].filter((it) => it !== undefined),
  })),
  warnings: warnings ?? [],
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
}: ReturnType<typeof summaryOf>) =>
  [
    ['Kafka', kafka],
    ['MongoDB', mongodb],
    ['HTTP', http],
    ['Operators', admin],
    ['Topics', `${topics.prefix}*, ${topics.partitions} partitions, replication ${topics.replication}`],
    ['Console', `${console.url}, sign-in ${console.signIn}`],
    ['Data', dataDir],
    ['Logs', logLevel],
    ...accounts.map(({ id, has }) => [demo ? 'Demo account' : 'Account', [id, ...has].join(', ')]),
    ...(demo && accounts.length === 0 ? [['Demo account', 'made when the bridge starts']] : []),
  ].map(([name = '', value = '']) => `${name.padEnd(13)}${value}`)

/** Prints a summary of the configuration, or every mistake in it: as lines, or as one JSON object. */
const checkConfig = async ({ json = false }: { readonly json?: boolean }): Promise<number> => {
  const settings = await settingsOf('find')
  if (json) {
    const told = E.isRight(settings)
      ? { valid: true, ...summaryOf(settings.right) }
      : { valid: false, problems: settings.left }
    console.log(JSON.stringify(told, null, 2))
  } else if (E.isRight(settings)) {
    for (const line of linesOf(summaryOf(settings.right))) console.log(line)
    for (const warning of settings.right.warnings ?? []) console.error(`Warning: ${warning}.`)
    console.log('The configuration is valid.')
  } else for (const problem of settings.left) console.error(describe([problem]))
  return E.isRight(settings) ? 0 : exitOfWrongConfig
}

const rolesOf = (text: string): ReadonlyArray<Role> => {
  const names = text.split(',').map((name) => name.trim())
  return names.map((name) => {
    const role = roles.find((known) => known === name)
    if (role === undefined) throw new InvalidArgumentError(`${name} is not one of ${roles.join(', ')}.`)
    return role
  })
}

const shareOf = (text: string): number => {
  const share = Number(text)
  if (text.trim() === '' || !(share >= 0 && share <= 1))
    throw new InvalidArgumentError('Expected a number from 0 to 1.')
  return share
}

const seedOf = (text: string): number => {
  const seed = Number(text)
  if (text.trim() === '' || !Number.isInteger(seed) || seed < 0 || seed >= 2 ** 32)
    throw new InvalidArgumentError('Expected a whole number from 0 to 4294967295.')
  return seed
}

const program = new Command('livechat-bridge')
  .description(
    'An event-sourced bridge between a live-chat service and Kafka, MongoDB and bots.\nThe environment configures it: see contracts/guides/configure.md.',
  )
  .version(version)

program
  .command('start')
  .description('run the bridge until SIGINT or SIGTERM, which drain and stop it')
  .option(
    '--role <roles>',
    `which of ${roles.join(', ')} to run in one process, with commas between them; without it all run, in two processes`,
    rolesOf,
  )
  .action(async ({ role }: { role?: ReadonlyArray<Role> }) => process.exit(await start(role)))

program
  .command('check-config')
  .description('check the environment and the accounts file and print every mistake; exit code 78 if there is one')
  .option('--json', 'print it as JSON')
  .action(async (options: { readonly json?: true }) => process.exit(await checkConfig(options)))

program
  .command('topics')
  .description(
    'print the topics with their keys, partitions and clean-up, and how they differ from what the bridge expects',
  )
  .option('--json', 'print them as JSON')
  .option(
    '--apply',
    'create what is missing, and give the topics that exist the settings that they would be created with',
  )
  .action(async (options: TopicsOptions) => process.exit(await topics(options)))

program
  .command('demo')
  .description('play every webhook and the four bot sequences against a running bridge, or against one that it starts')
  .option(
    '--odd <share>',
    'a share of the events, from 0 to 1, that also come in an odd form: one field with a wrong value, left out, nested or repeated',
    shareOf,
  )
  .option('--seed <number>', 'the seed that a run with --odd has printed, to send the same odd forms again', seedOf)
  .option('--say <text...>', 'play nothing: a client writes these messages, and what your bot answers is printed')
  .action(async (options: DemoOptions) => process.exit(await demo(options)))

addOperations(program, operations, execute)
program.addCommand(
  consoleCommand(async (run) =>
    process.exit(
      await withBothServers('console', ({ settings, mongo, out, err }) => {
        const { adminUrl } = findRunning(settings.dataDir) ?? {}
        return run({ store: mongo.consoleSessions, adminUrl, basePath: settings.console.basePath, out, err })
      }),
    ),
  ),
)
program.addCommand(contractsCommand())

await program.parseAsync()
