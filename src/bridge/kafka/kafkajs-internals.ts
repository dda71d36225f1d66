import { createRequire } from 'node:module'
import type { Kafka } from 'kafkajs'

/**
 * Everything of kafkajs 2.2.4 that is not its public interface. No other file of the bridge reaches into the package.
 * Each entry says why it is needed and what replaces it if the library changes. Each patch (kafkajs-patches/) says the
 * same of what it replaces.
 */
const require = createRequire(import.meta.url)

/** The files of the package that are used here, by their use. A test compares them with the imports of this folder. */
export const internalFiles = {
  errors: 'kafkajs/src/errors.js',
  protocolErrors: 'kafkajs/src/protocol/error.js',
  requests: 'kafkajs/src/protocol/requests/index.js',
  apiKeys: 'kafkajs/src/protocol/requests/apiKeys.js',
  compression: 'kafkajs/src/protocol/message/compression/index.js',
  batchDecoder: 'kafkajs/src/protocol/recordBatch/v0/decoder.js',
  metadataResponse: 'kafkajs/src/protocol/requests/metadata/v0/response.js',
  consumerGroup: 'kafkajs/src/consumer/consumerGroup.js',
  requestQueue: 'kafkajs/src/network/requestQueue/index.js',
} as const

type ErrorOfCode = (code: number) => Error & { readonly type?: string; readonly retriable?: boolean }

/**
 * The error that kafkajs throws for a compression that it does not have: only this one stops a consumer without
 * skipping the batch. Instead: an error of our own, if the batches are decoded outside of kafkajs.
 */
export const { KafkaJSNotImplemented }: { readonly KafkaJSNotImplemented: new (message: string) => Error } = require(
  internalFiles.errors,
)

/**
 * Kafka's error codes as errors, for requests that kafkajs does not send itself. Instead: a table of the few codes that
 * errors.ts distinguishes.
 */
export const {
  createErrorFromCode,
  failure,
}: {
  readonly createErrorFromCode: ErrorOfCode
  readonly failure: (code: number) => boolean
} = require(internalFiles.protocolErrors)

/**
 * The versions of Produce requests. Kafkajs's producer rejects a whole send for the error of one partition, and a
 * broker may acknowledge records that it does not have. Instead: any client that sends one Produce request and returns
 * the answer of each partition.
 */
export const { Produce: produceVersions }: { readonly Produce: object } = require(internalFiles.requests).requests
export const { Produce: produceApiKey }: { readonly Produce: number } = require(internalFiles.apiKeys)

/**
 * The codec of a compressed batch. Codecs are registered in public (compression.ts), and read-batch.ts needs the same
 * ones. Instead: that file's own table.
 */
export const {
  lookupCodecByAttributes,
}: {
  readonly lookupCodecByAttributes: (
    attributes: number,
  ) => { readonly decompress: (bytes: Buffer) => Promise<Buffer> } | null
} = require(internalFiles.compression)

type Decoder = { readonly buffer: Buffer; readonly offset: number; readonly forward: (bytes: number) => void }
type DecodeBatch = (decoder: Decoder) => Promise<object>

/** For the patch batch-decoder.ts. Instead: a client that hands over the bytes of a partition. */
export const decodeBatch: DecodeBatch = require(internalFiles.batchDecoder)
export const replaceDecodeBatch = (replacement: DecodeBatch): void => {
  const loaded = require.cache[require.resolve(internalFiles.batchDecoder)]
  if (loaded === undefined) throw new Error('kafkajs has no decoder of batches where it is expected')
  loaded.exports = replacement
}

type Metadata = { readonly topicMetadata: ReadonlyArray<{ readonly topicErrorCode: number }> }
/** For the patch metadata-errors.ts. Instead: a client that reports a partition without a leader for itself. */
export const metadataResponse: { parse: (data: Metadata) => Promise<Metadata> } = require(
  internalFiles.metadataResponse,
)

export type ConsumerGroup = {
  /** The bridge also gives a function (kafkajs-consumer.ts), which only the patch sees. */
  maxWaitTime: number | (() => number)
  minBytes: number
  readonly subscriptionState: { readonly paused: () => ReadonlyArray<unknown> }
}
type FetchedBatch = { readonly rawMessages: ReadonlyArray<unknown> }
/** For the patch fetch.ts. Instead: a client whose fetches have their own waits. */
export const consumerGroupPrototype: {
  fetch: (this: ConsumerGroup, nodeId: string) => Promise<ReadonlyArray<FetchedBatch>>
} = require(internalFiles.consumerGroup).prototype

/** For the patch request-queue.ts. Instead: nothing, if the defect is mended. */
export const requestQueuePrototype: {
  readonly pending: ReadonlyArray<unknown>
  scheduleCheckPendingRequests: () => void
} = require(internalFiles.requestQueue).prototype

/**
 * Makes kafkajs's cluster, by which its clients find brokers and send requests. Its function is in a property with a
 * private symbol as its name. It is needed for requests that no public client sends: Produce as above,
 * OffsetForLeaderEpoch, DescribeTopicPartitions' ids, ListOffsets to one leader, and a fetch without a group. Instead:
 * the requests over a connection of our own.
 */
export const clusterMakerOf = (kafka: Kafka): ((settings: object) => unknown) => {
  const name = Object.getOwnPropertySymbols(kafka).find(({ description }) =>
    description?.endsWith('Kafka:createCluster'),
  )
  const make: unknown = name && Reflect.get(kafka, name)
  if (typeof make !== 'function') throw new Error('kafkajs makes no cluster where it is expected')
  return (settings) => make(settings)
}
