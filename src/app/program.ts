import { Command } from 'commander'
import { addOperations } from './command-line.ts'
import { commands } from './commands.ts'
import { execute } from './run-operation.ts'
import { version } from './version.ts'

const program = new Command('livechat-bridge')
  .description(
    'An event-sourced bridge between a live-chat service and Kafka, MongoDB and bots.\nThe environment configures it: see contracts/guides/configure.md.',
  )
  .version(version)

await addOperations(program, commands, execute).parseAsync()
