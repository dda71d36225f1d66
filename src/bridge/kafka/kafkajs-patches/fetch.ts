import { type ConsumerGroup, consumerGroupPrototype as prototype } from '../kafkajs-internals.ts'

/**
 * Upstream: kafkajs 2.2.4, src/consumer/consumerGroup.js; no issue is known.
 * Problem: a fetch makes a batch for each requested partition and passes each batch through a queue with a heartbeat,
 * even if the batch is empty. With six topics of six partitions, this is most of the cost of a fetch. And an idle
 * consumer fetches as often as a busy one.
 * Patch: batches without messages are omitted. After an empty answer a fetch waits for the first byte, up to a second.
 * So an idle consumer asks once a second, and gets the first record at once. It does not wait so long while a
 * partition is paused: a fetch that is under way does not ask for a partition that is resumed meanwhile. The usual wait
 * may be a function, which is asked before each fetch.
 * Test: test/bridge/kafka/kafkajs-patches.test.ts
 * Remove when: kafkajs omits empty batches, and lets each fetch have its own wait.
 */

/** Less than the interval of heartbeats, since a consumer sends none during a fetch. */
const quietMs = 1_000

const usualWaits = new WeakMap<ConsumerGroup, Pick<ConsumerGroup, 'maxWaitTime' | 'minBytes'>>()
const quiet = new WeakSet<ConsumerGroup>()

const { fetch } = prototype

prototype.fetch = async function (nodeId) {
  const { maxWaitTime, minBytes } = usualWaits.get(this) ?? this
  usualWaits.set(this, { maxWaitTime, minBytes })
  const isQuiet = quiet.has(this) && this.subscriptionState.paused().length === 0
  const usualMs = typeof maxWaitTime === 'function' ? maxWaitTime() : maxWaitTime
  this.maxWaitTime = isQuiet ? Math.max(quietMs, usualMs) : usualMs
  this.minBytes = isQuiet ? 1 : minBytes
  const batches = (await fetch.call(this, nodeId)).filter(({ rawMessages }) => rawMessages.length > 0)
  if (batches.length > 0) quiet.delete(this)
  else quiet.add(this)
  return batches
}
