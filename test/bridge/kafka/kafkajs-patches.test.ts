import { createRequire } from 'node:module'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import '../../../src/bridge/kafka/kafkajs-patches/metadata-errors.ts'

type Data = { readonly topicMetadata: ReadonlyArray<object> }
const require = createRequire(import.meta.url)
const leaderNotAvailable = 5
const unknownTopic = 3

const patches = suite('patches of kafkajs')

type Group = {
  maxWaitTime: number | (() => number)
  minBytes: number
  readonly subscriptionState: { readonly paused: () => ReadonlyArray<unknown> }
}
type Fetch = (this: Group, nodeId: string) => Promise<ReadonlyArray<object>>

/** The patched `fetch`, above one that returns these answers and records how long it was to wait. */
const patchedFetch = async (answers: ReadonlyArray<ReadonlyArray<object>>) => {
  const { prototype }: { readonly prototype: { fetch: Fetch } } = require('kafkajs/src/consumer/consumerGroup.js')
  const { fetch } = prototype
  const left = [...answers]
  const waits: Array<readonly [ms: Group['maxWaitTime'], bytes: number]> = []
  prototype.fetch = async function () {
    waits.push([this.maxWaitTime, this.minBytes])
    return left.shift() ?? []
  }
  // Loads the patch again, because other tests of this process have loaded it.
  const patch = `../../../src/bridge/kafka/kafkajs-patches/fetch.ts?again-${Math.random()}`
  await import(patch)
  const patched = prototype.fetch
  prototype.fetch = fetch
  return { patched, waits }
}
const [full, empty] = [{ rawMessages: [{}] }, { rawMessages: [] }]
const groupOf = (paused: () => ReadonlyArray<unknown>, maxWaitTime: Group['maxWaitTime'] = 250): Group => ({
  maxWaitTime,
  minBytes: 65_536,
  subscriptionState: { paused },
})

patches('fetch: partitions without data make no batch', async () => {
  const { patched } = await patchedFetch([[empty, full, empty]])

  assert.equal(
    await patched.call(
      groupOf(() => []),
      '1',
    ),
    [full],
  )
})

patches('fetch: after an empty answer it waits for the first byte, but not while a partition is paused', async () => {
  const { patched, waits } = await patchedFetch([[full], [empty], [empty], [], [full], [full]])
  let paused: ReadonlyArray<unknown> = []
  const group = groupOf(() => paused)
  for (let i = 0; i < 3; i++) await patched.call(group, '1')
  paused = [{}]
  await patched.call(group, '1')
  paused = []
  for (let i = 0; i < 2; i++) await patched.call(group, '1')

  const [usual, whileQuiet] = [
    [250, 65_536],
    [1_000, 1],
  ]
  assert.equal(waits, [usual, usual, whileQuiet, usual, whileQuiet, usual])
})

patches('fetch: a wait that is a function is asked before each fetch', async () => {
  const { patched, waits } = await patchedFetch([[full], [full], [empty], []])
  const left = [10, 20, 30, 40]
  const group = groupOf(
    () => [],
    () => left.shift() ?? 0,
  )
  for (let i = 0; i < 4; i++) await patched.call(group, '1')

  assert.equal(waits, [
    [10, 65_536],
    [20, 65_536],
    [30, 65_536],
    [1_000, 1],
  ])
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
