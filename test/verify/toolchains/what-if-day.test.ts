// A day of conversations, and the example bot in Python over Kafka: what-if reports the same of it as of the one in TypeScript.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { realDay } from '../../bot/what-if/real-day/real-day.ts'
import { canRun, runExample } from '../../guides/examples.ts'

const day = suite('what-if asks a bot in Python')
const test = canRun('Python') ? day : day.skip
const { here, whatIf, botPath } = await realDay(100)
day.after(() => here.stop())

test('the same bot in Python over Kafka and in TypeScript in process give the same report', async () => {
  const inProcess = await whatIf(['--bot', botPath('day.ts')])
  const group = `trial-${here.prefix}python`
  const bot = runExample('Python', 'bot', {
    KAFKA_BROKERS: here.brokers.join(','),
    TOPIC_PREFIX: `${here.prefix}what-if.${group}.`,
    GROUP: group,
  })
  try {
    assert.is((await whatIf(['--group', group])).lines, inProcess.lines)
  } finally {
    await bot.stop()
  }
})

day.run()
