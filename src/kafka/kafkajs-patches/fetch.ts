import { createRequire } from 'node:module'

/**
 * Upstream: kafkajs 2.2.4, src/consumer/consumerGroup.js; no issue is known.
 * Problem: a fetch makes a batch for each requested partition and passes each batch through a queue with a heartbeat,
 * even if the batch is empty. With six topics of six partitions, this is most of the cost of a fetch.
 * Patch: batches without messages are omitted.
 * Test: test/kafka/kafkajs-patches.test.ts
 * Remove when: kafkajs omits empty batches.
 */

type Batch = { readonly rawMessages: ReadonlyArray<unknown> }
type Fetch = (this: unknown, nodeId: string) => Promise<ReadonlyArray<Batch>>
type ConsumerGroup = { readonly prototype: { fetch: Fetch } }

const { prototype }: ConsumerGroup = createRequire(import.meta.url)('kafkajs/src/consumer/consumerGroup.js')
const { fetch } = prototype

prototype.fetch = async function (nodeId) {
  return (await fetch.call(this, nodeId)).filter(({ rawMessages }) => rawMessages.length > 0)
}
