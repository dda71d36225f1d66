import { createRequire } from 'node:module'

/**
 * Upstream: kafkajs 2.2.4, src/consumer/consumerGroup.js; no issue is known.
 * Problem: a fetch makes a batch for each partition that was asked for, and puts each through a queue with a heartbeat, also
 * where nothing came. With six topics of six partitions that is most of what a fetch costs.
 * Patch: batches without messages are left out.
 * Test: test/kafka/kafkajs-patches.test.ts
 * Remove when: kafkajs leaves out empty batches.
 */

type Batch = { readonly rawMessages: ReadonlyArray<unknown> }
type Fetch = (this: unknown, nodeId: string) => Promise<ReadonlyArray<Batch>>
type ConsumerGroup = { readonly prototype: { fetch: Fetch } }

const { prototype }: ConsumerGroup = createRequire(import.meta.url)('kafkajs/src/consumer/consumerGroup.js')
const { fetch } = prototype

prototype.fetch = async function (nodeId) {
  return (await fetch.call(this, nodeId)).filter(({ rawMessages }) => rawMessages.length > 0)
}
