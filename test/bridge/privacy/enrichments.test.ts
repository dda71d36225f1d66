import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { removeOldNotes } from '../../../src/bridge/privacy/enrichments.ts'

const notes = suite('notes of chats that are over')

type Deps = Parameters<typeof removeOldNotes>[0]
const day = 24 * 60 * 60 * 1000

/** What one round removes, how long the next one is waited for, and what was logged. */
const round = async (given: Partial<Deps> = {}) => {
  const removed: unknown[] = []
  const asked: Date[] = []
  const logged: string[] = []
  const { promise: over, resolve } = Promise.withResolvers<number>()
  const stop = removeOldNotes({
    days: 14,
    now: async () => 20 * day,
    oldNotes: async function* (before) {
      asked.push(before)
      yield* ['acme/chatId:1', 'acme/chatId:2']
    },
    append: async ({ topic, key, value }) => {
      removed.push([topic, key, value])
      return E.right(undefined)
    },
    reasonOf: (error) => (error instanceof Error ? error.message : ''),
    sleep: async (ms) => resolve(ms),
    log: {
      info: (_, message) => void logged.push(message),
      debug: (fields) => void logged.push(JSON.stringify(fields)),
    },
    ...given,
  })
  const waited = await over
  await stop()
  return { removed, before: asked[0], waited, logged }
}

notes('each gets a record without a value once its chat has been over for the retention time', async () => {
  const { removed, before, waited } = await round()
  assert.equal(removed, [
    ['enrichments', 'acme/chatId:1', null],
    ['enrichments', 'acme/chatId:2', null],
  ])
  assert.equal([before, waited], [new Date(6 * day), day / 4])
})

notes('are looked for again soon if MongoDB or Kafka is away, or the clocks do not agree', async () => {
  const away = async () => {
    throw new Error('the clocks differ')
  }
  assert.equal((await round({ now: away })).logged, ['{"reason":"the clocks differ"}'])
  const refused = await round({ append: async () => E.left({ kind: 'transient', reason: 'no broker' }) })
  assert.equal([refused.waited, refused.logged[0]], [60_000, '{"reason":"no broker"}'])
})

notes.run()
