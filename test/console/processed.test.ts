import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TopicName } from '../../contracts/topics.ts'
import { deadLetters } from '../../src/console/pages/dead-letters/page.ts'
import { right } from '../support/either.ts'
import { given } from './given-request.ts'

const test = suite('whether a consumer has processed what was sent again')

/** A topic with 5 records in one partition, of which the group has committed as many as `committed` says, one by one. */
const asked = async (query: string, committed: ReadonlyArray<number>) => {
  const left = [...committed]
  const route = deadLetters.handlers({
    redrives: {},
    groups: [{ group: 'egress', topics: ['bot-replies'] }],
    kafka: {
      ranges: async () => new Map([[0, { low: 0, high: 5 }]]),
      committedOffsets: async (_: string, __: TopicName) => {
        const next = left.shift()
        if (next === undefined) throw new Error('away')
        return new Map([[0, next]])
      },
    },
  } as unknown as Parameters<typeof deadLetters.handlers>[0])['GET /api/accounts/:account/dead-letters/processed']
  return (right(await route(given({ query }))) as { body: unknown }).body
}

test('it waits until everything is committed', async () =>
  assert.equal(await asked('consumer=egress&topic=bot-replies', [3, 4, 5]), { isProcessed: true }))
test('it is not known while Kafka does not answer', async () =>
  assert.equal(await asked('consumer=egress&topic=bot-replies', [3]), { isProcessed: false }))
for (const query of ['consumer=other&topic=bot-replies', 'consumer=egress&topic=calls', 'topic=bot-replies', ''])
  test(`it is not known for "${query}"`, async () => assert.equal(await asked(query, [5]), { isProcessed: false }))

test.run()
