import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Defence } from './defences.ts'
import type { ObservedWorld } from './observed-world.ts'

type BotProcess = {
  /** A file of this folder. */
  readonly program?: 'bot.ts' | 'model-bot.ts'
  readonly env?: Readonly<Record<string, string>>
  /** The defence that a negative control lacks. */
  readonly without?: Defence | undefined
}

/** Bot logic in its own process, which ends with this process. */
export const startBotProcess = (
  { brokers, prefix }: Pick<ObservedWorld, 'brokers' | 'prefix'>,
  { program = 'bot.ts', env = {}, without }: BotProcess = {},
) => {
  const { PATH, HOME } = process.env
  const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))
  const weaken = without === undefined ? [] : ['--import', file('weaken.ts')]
  const child = spawn(process.execPath, [...weaken, file(program)], {
    env: {
      PATH,
      HOME,
      ...env,
      KAFKA_BROKERS: brokers.join(','),
      TOPIC_PREFIX: prefix,
      ...(without && { FAULTS_WITHOUT: without }),
    },
    stdio: 'ignore',
  })
  const ended = once(child, 'close')
  const killWithParent = () => child.kill('SIGKILL')
  process.once('exit', killWithParent)
  ended.then(() => process.off('exit', killWithParent))
  return {
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
