import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { announceDays } from '../../src/mongo/stats-announce.ts'

const announcing = suite('the days that need statistics')

const chat = (acceptedAt: string) => ({ _id: 'acme/1', accountId: 'acme', acceptedAt }) as never
const write = (before: string, after: string) => ({ collection: 'chats', before: chat(before), after: chat(after) })

const world = () => {
  const marks: unknown[] = []
  const time = { now: 0 }
  const announce = announceDays({
    mark: async (ids, fresh) => {
      marks.push([ids, fresh])
    },
    clock: () => time.now,
  })
  return { marks, time, announce }
}

announcing('are marked before a document leaves one day for another, and after', async () => {
  const { marks, announce } = world()
  const written = await announce([write('2026-01-30T23:00:00.000Z', '2026-01-31T00:00:00.000Z')])
  assert.equal(marks, [[['acme/2026-01-30', 'acme/2026-01-31'], false]])
  await written()
  assert.equal(marks.slice(1), [[['acme/2026-01-30', 'acme/2026-01-31'], true]])
})

announcing('are not announced again within seconds, since their mark stays', async () => {
  const { marks, time, announce } = world()
  const same = [write('2026-01-31T00:00:00.000Z', '2026-01-31T00:00:00.000Z')]
  for (const now of [0, 14_999, 15_000]) {
    time.now = now
    await announce(same)
  }
  assert.equal(marks, [
    [['acme/2026-01-31'], false],
    [[], false],
    [['acme/2026-01-31'], false],
  ])
})

announcing.run()
