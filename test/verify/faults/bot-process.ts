import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { kitFolder } from '../toolchains/python.ts'
import type { Defence } from './defences.ts'
import type { ObservedWorld } from './observed-world.ts'

type BotProcess = {
  /** A file of this folder. */
  readonly program?: 'bot.ts' | 'model-bot.ts' | 'model-bot.py'
  /** The interpreter of a program in Python. */
  readonly python?: string | undefined
  readonly env?: Readonly<Record<string, string>>
  /** The defence that a negative control lacks. */
  readonly without?: Defence | undefined
}

/** Bot logic in its own process, which ends with this process. */
export const startBotProcess = (
  { brokers, prefix }: Pick<ObservedWorld, 'brokers' | 'prefix'>,
  { program = 'bot.ts', python, env = {}, without }: BotProcess = {},
) => {
  const { PATH, HOME } = process.env
  const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))
  const weaken = without === undefined ? [] : ['--import', file('weaken.ts')]
  const [command, args] = python === undefined ? [process.execPath, weaken] : [python, []]
  const child = spawn(command, [...args, file(program)], {
    env: {
      PATH,
      HOME,
      ...env,
      KAFKA_BROKERS: brokers.join(','),
      TOPIC_PREFIX: prefix,
      PYTHONPATH: kitFolder,
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
