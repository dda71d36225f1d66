import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ObservedWorld } from './observed-world.ts'

/** Bot logic in its own process, which ends with this process. */
export const startBotProcess = ({ brokers, prefix }: ObservedWorld) => {
  const { PATH, HOME } = process.env
  const child = spawn(process.execPath, [fileURLToPath(new URL('bot.ts', import.meta.url))], {
    env: { PATH, HOME, KAFKA_BROKERS: brokers.join(','), TOPIC_PREFIX: prefix },
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
