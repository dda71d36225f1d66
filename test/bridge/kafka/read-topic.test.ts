import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readOrThrow, readTopicWith } from '../../../src/bridge/kafka/read-topic.ts'

const reading = suite('reading a topic that returns nothing')

reading('gives up after half a minute with the reason of its consumer, and stops the consumer', async () => {
  let now = 0
  const done: string[] = []
  const readTopic = readTopicWith({
    ranges: async () => new Map([[0, { low: 0, high: 1 }]]),
    consume: async ({ group }) => ({
      health: () => {
        now += 31_000
        return { ok: false, reason: 'has not joined its group yet' }
      },
      stop: async () => void done.push(`stopped ${group}`),
    }),
    clock: () => now,
  })

  const outcome = await readTopic('dead-letters', () => Promise.reject(new Error('nothing was to come')))

  const reason = 'Kafka sends nothing: has not joined its group yet'
  assert.equal(outcome, E.left({ kind: 'transient', reason }))
  assert.equal(done, ['stopped read-dead-letters'])
})

reading('is an error that names the topic, where it must be read', async () => {
  const reason = 'Kafka sends nothing: has not joined its group yet'
  const readTopic = async () => E.left({ kind: 'transient', reason } as const)

  const outcome = await readOrThrow(readTopic, 'archive-chats', async () => {}).catch((error: unknown) => String(error))

  assert.is(outcome, `Error: archive-chats cannot be read: ${reason}`)
})

reading.run()
