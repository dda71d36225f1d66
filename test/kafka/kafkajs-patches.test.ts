import { createRequire } from 'node:module'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import '../../src/kafka/kafkajs-patches/metadata-errors.ts'

type Data = { readonly topicMetadata: ReadonlyArray<object> }
const require = createRequire(import.meta.url)
const leaderNotAvailable = 5
const unknownTopic = 3

const patches = suite('patches of kafkajs')

patches('fetch: partitions without data make no batch', async () => {
  type Group = { readonly prototype: { fetch: (nodeId: string) => Promise<ReadonlyArray<object>> } }
  const { prototype }: Group = require('kafkajs/src/consumer/consumerGroup.js')
  const [full, empty] = [{ rawMessages: [{}] }, { rawMessages: [] }]
  const { fetch } = prototype
  prototype.fetch = async () => [empty, full, empty]
  // Loads the patch again, because other tests of this process have loaded it.
  const patch = '../../src/kafka/kafkajs-patches/fetch.ts?again'
  await import(patch)

  assert.equal(await prototype.fetch('1'), [full])
  prototype.fetch = fetch
})

for (const version of [0, 1, 2, 3, 4, 5, 6]) {
  const { parse }: { parse: (data: Data) => Promise<Data> } = require(
    `kafkajs/src/protocol/requests/metadata/v${version}/response.js`,
  )
  const answer = (topicErrorCode: number) => ({
    topicMetadata: [
      { topicErrorCode: 0, partitionMetadata: [{ partitionErrorCode: leaderNotAvailable, leader: -1 }] },
      { topicErrorCode, partitionMetadata: [{ partitionErrorCode: 0, leader: 1 }] },
    ],
  })
  patches(`metadata v${version}: a partition without a leader does not affect other partitions`, async () => {
    assert.equal(await parse(answer(0)), answer(0))
  })
  patches(`metadata v${version}: a missing topic is an error`, async () => {
    const error = await parse(answer(unknownTopic)).catch(({ type }) => type)
    assert.is(error, 'UNKNOWN_TOPIC_OR_PARTITION')
  })
}

patches.run()
