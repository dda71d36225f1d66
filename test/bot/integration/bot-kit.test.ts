import { startBot, text } from 'livechat-bridge/bot'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { anyFree } from '../../../src/tools/embedded/port.ts'
import { plainClient } from '../../support/plain-consumer.ts'
import { silent } from '../../support/silent-log.ts'
import { world } from '../../support/world.ts'

// It waits for a broker while the other tests run.
const unreachable = anyFree().then((port) =>
  startBot({}, { brokers: [`127.0.0.1:${port}`], group: 'nobody', log: silent }).then(
    () => 'it runs',
    (error: unknown) => String(error),
  ),
)
const here = await world()
await here.start()
const group = `echo-${here.prefix}bots`
const bot = await startBot(
  {
    onMessage: ({ data: { message } }) => text(`You said ${message.text}`),
  },
  { brokers: here.brokers, topicPrefix: here.prefix, group },
)

const kit = suite('bot kit on real servers')

kit.after(async () => {
  await bot.stop()
  await here.stop()
})

kit('a bot answers every message of a chat, in order', async () => {
  for (const words of ['one', 'two', 'three']) await here.service.clientWrites('2037', words)
  const delivered = await here.service.waitFor(
    'three answers',
    () => {
      const { delivered = [] } = here.service.chat('2037') ?? {}
      return delivered.length >= 3 ? delivered : undefined
    },
    30_000,
  )
  assert.equal(
    delivered.map(({ message }) => message.text),
    ['You said one', 'You said two', 'You said three'],
  )
})

kit('startBot rejects if no broker can be reached', async () => {
  assert.match(await unreachable, /livechat\.bot-conversations cannot be read: is a broker at 127\.0\.0\.1:\d+\?/)
})

kit('its consumer group has the given name, without a prefix', async () => {
  const admin = plainClient(here.brokers).admin()
  await admin.connect()
  const { groups } = await admin.listGroups()
  await admin.disconnect()
  assert.equal(
    groups.map(({ groupId }) => groupId).filter((id) => id.includes(group)),
    [group],
  )
})

kit.run()
