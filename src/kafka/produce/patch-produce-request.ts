import { createRequire } from 'node:module'
import { type BatchMessage, writeRecordBatch } from './record-batch.ts'
import { writer } from './writer.ts'

type TopicData = {
  readonly topic: string
  readonly partitions: ReadonlyArray<{ readonly partition: number; readonly messages: ReadonlyArray<BatchMessage> }>
}
export type ProduceRequest = {
  readonly acks: number
  readonly timeout: number
  readonly transactionalId?: string | null
  readonly compression?: number
  readonly topicData: ReadonlyArray<TopicData>
}
/** As much of kafkajs's encoder as is asked of what a request has been encoded to. */
type Encoded = { readonly buf: Buffer; readonly buffer: Buffer }
type Request = { readonly encode: () => Promise<Encoded> }
export type NewRequest = (request: ProduceRequest) => Request

const require = createRequire(import.meta.url)
// Version 3; the later ones, which kafkajs loads with the first request, are made of it.
const file = require.resolve('kafkajs/src/protocol/requests/produce/v3/request.js')
/** Of kafkajs itself. */
export const ofKafkajs: NewRequest = require(file)

const usualBytes = 2_048

/** The body of a Produce request, versions 3 to 8. */
export const encodeProduce = ({ acks, timeout, topicData }: ProduceRequest, timestamp: number): Buffer => {
  const records = topicData.flatMap(({ partitions }) => partitions).reduce((sum, p) => sum + p.messages.length, 0)
  const to = writer(usualBytes * (records + 1))
  to.string(null)
  to.int16(acks)
  to.int32(timeout)
  to.int32(topicData.length)
  for (const { topic, partitions } of topicData) {
    to.string(topic)
    to.int32(partitions.length)
    for (const { partition, messages } of partitions) {
      to.int32(Number(partition))
      const sizeAt = to.position()
      to.int32(0)
      writeRecordBatch(to, messages, timestamp)
      to.int32At(sizeAt, to.position() - sizeAt - 4)
    }
  }
  return to.bytes()
}

const hasPacked = ({ topicData }: ProduceRequest) =>
  topicData.some(({ partitions }) => partitions.some(({ messages }) => messages.some(({ packed }) => packed)))

const isPlain = ({ compression = 0, transactionalId = null, topicData }: ProduceRequest) =>
  compression === 0 &&
  transactionalId === null &&
  topicData.every(({ partitions }) =>
    partitions.every(({ messages }) => messages.every(({ timestamp }) => timestamp === undefined)),
  )

// kafkajs 2.2.4 allocates a buffer for each number, header and record: two thirds of what a request costs us are spent there.
// What the bridge does not do (compression, transactions, times of its own) is left to kafkajs.
const patched: NewRequest = (request) => {
  const made = ofKafkajs(request)
  if (!isPlain(request)) {
    if (hasPacked(request))
      throw new TypeError('what is packed goes without compression, transactions and times of its own')
    return made
  }
  return {
    ...made,
    encode: async () => {
      const buf = encodeProduce(request, Date.now())
      return { buf, buffer: buf }
    },
  }
}
const loaded = require.cache[file]
if (loaded !== undefined) loaded.exports = patched
