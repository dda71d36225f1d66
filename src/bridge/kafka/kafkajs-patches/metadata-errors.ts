import { createErrorFromCode, failure, metadataResponse } from '../kafkajs-internals.ts'

/**
 * Upstream: kafkajs 2.2.4, src/protocol/requests/metadata/v0/response.js; related to tulios/kafkajs #1008 and #1769.
 * Problem: one partition without a leader fails the whole metadata response, for every requested topic.
 * Patch: errors of partitions are ignored; such a partition keeps the leader -1. Errors of topics are still reported.
 * Test: test/bridge/kafka/kafkajs-patches.test.ts
 * Remove when: kafkajs reports such an error for the partition alone.
 */
metadataResponse.parse = async (data) => {
  const failed = data.topicMetadata.find(({ topicErrorCode }) => failure(topicErrorCode))
  if (failed !== undefined) throw createErrorFromCode(failed.topicErrorCode)
  return data
}
