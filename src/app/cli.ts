import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { Command, InvalidArgumentError } from 'commander'
import { redriveCommand } from '../operations/redrive/command.ts'
import { type Role, roles } from './bridge.ts'
import { checkConfig } from './config.ts'
import { contractsCommand } from './contracts.ts'
import { demo } from './demo.ts'
import { rebuildCommand } from './rebuild.ts'
import { withServers } from './servers.ts'
import { start } from './start.ts'
import { type TopicsOptions, topics } from './topics.ts'

const rolesOf = (text: string): ReadonlyArray<Role> => {
  const names = text.split(',').map((name) => name.trim())
  return names.map((name) => {
    const role = roles.find((known) => known === name)
    if (role === undefined) throw new InvalidArgumentError(`${name} is not one of ${roles.join(', ')}.`)
    return role
  })
}

const manifest = findPackageJSON('..', import.meta.url)
const { version }: { readonly version: string } = JSON.parse(readFileSync(manifest ?? '', 'utf8'))

const program = new Command('livechat-bridge')
  .description(
    'An event-sourced bridge between a live-chat service and Kafka, MongoDB and bots.\nThe environment configures it: see README.md, Configuration.',
  )
  .version(version)

program
  .command('start')
  .description('run the bridge until SIGINT or SIGTERM, which drain and stop it')
  .option('--role <roles>', `which of ${roles.join(', ')} to run, with commas between them`, rolesOf, roles)
  .action(async ({ role }: { role: ReadonlyArray<Role> }) => process.exit(await start(role)))

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
  .action(async () => process.exit(await demo()))

program.addCommand(redriveCommand(withServers))
program.addCommand(rebuildCommand())
program.addCommand(contractsCommand())

await program.parseAsync()
