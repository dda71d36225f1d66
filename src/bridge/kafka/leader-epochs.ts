import type { TopicName } from '../../../contracts/topics.ts'
import type { CompareLog, LogMark, LogState } from '../domain/log/positions.ts'
import type { AskOf, Broker, Cluster } from './admin.ts'
import type { FetchRecord } from './fetch-record.ts'
import { createErrorFromCode } from './kafkajs-internals.ts'
import { persistently } from './offsets.ts'

const apiKey = 23
const apiVersion = 3
const replicaOfClients = -1
const currentIsNotKnown = -1

/** The largest epoch of the log that is not greater than the wanted one, and the offset after its last record. */
type EpochEnd = { readonly epoch: number; readonly end: number }
type Wanted = ReadonlyArray<{ readonly partition: number; readonly epoch: number }>

/** An OffsetForLeaderEpoch request of version 3, for one topic. */
export const encodeEpochsRequest = (topic: string, wanted: Wanted): Buffer => {
  const name = Buffer.from(topic)
  const head = Buffer.alloc(10)
  head.writeInt32BE(replicaOfClients, 0)
  head.writeInt32BE(1, 4)
  head.writeInt16BE(name.length, 8)
  const partitions = Buffer.alloc(4 + 12 * wanted.length)
  partitions.writeInt32BE(wanted.length, 0)
  for (const [i, { partition, epoch }] of wanted.entries()) {
    partitions.writeInt32BE(partition, 4 + 12 * i)
    partitions.writeInt32BE(currentIsNotKnown, 8 + 12 * i)
    partitions.writeInt32BE(epoch, 12 + 12 * i)
  }
  return Buffer.concat([head, name, partitions])
}

/** The answer by partition. The epoch -1 means that the log has no such epoch yet. Throws the error of a partition. */
export const decodeEpochsResponse = (bytes: Buffer): ReadonlyMap<number, EpochEnd> => {
  const found = new Map<number, EpochEnd>()
  let at = 4
  const int32 = () => {
    at += 4
    return bytes.readInt32BE(at - 4)
  }
  for (let topics = int32(); topics > 0; topics--) {
    at += 2 + bytes.readInt16BE(at)
    for (let partitions = int32(); partitions > 0; partitions--) {
      const error = bytes.readInt16BE(at)
      if (error !== 0) throw createErrorFromCode(error)
      found.set(bytes.readInt32BE(at + 2), {
        epoch: bytes.readInt32BE(at + 6),
        end: Number(bytes.readBigInt64BE(at + 10)),
      })
      at += 18
    }
  }
  return found
}

const askLeader = async (broker: Broker, topic: string, wanted: Wanted): Promise<ReadonlyMap<number, EpochEnd>> => {
  if ((broker.versions[apiKey]?.maxVersion ?? 0) < apiVersion) return new Map()
  const encode = async () => {
    const buffer = encodeEpochsRequest(topic, wanted)
    return { buf: buffer, buffer }
  }
  return (await broker.connectionPool.send({
    request: { apiKey, apiVersion, apiName: 'OffsetForLeaderEpoch', encode },
    response: { decode: async (bytes: Buffer) => decodeEpochsResponse(bytes), parse: async (data: unknown) => data },
  })) as ReadonlyMap<number, EpochEnd>
}

/** Asks the leaders where these epochs end. Partitions of brokers older than Kafka 2.3 are missing in the answer. */
export type EpochEnds = (
  topic: TopicName,
  epochs: ReadonlyMap<number, number>,
) => Promise<ReadonlyMap<number, EpochEnd>>

export const epochEndsOf =
  (ask: AskOf<Cluster>, prefix: string): EpochEnds =>
  (name, epochs) => {
    const topic = `${prefix}${name}`
    const question = async (cluster: Cluster) => {
      await cluster.addTargetTopic(topic)
      await cluster.refreshMetadataIfNecessary()
      const led = cluster.findTopicPartitionMetadata(topic).flatMap(({ partitionId: partition, leader }) => {
        const epoch = epochs.get(partition)
        return epoch === undefined ? [] : [{ partition, epoch, leader }]
      })
      const answers = await Promise.all(
        [...Map.groupBy(led, ({ leader }) => leader)].map(async ([nodeId, wanted]) =>
          askLeader(await cluster.findBroker({ nodeId }), topic, wanted),
        ),
      )
      return new Map(answers.flatMap((answer) => [...answer]))
    }
    // Each retry has a new connection, which knows the current leaders.
    return epochs.size === 0
      ? Promise.resolve(new Map())
      : persistently(
          () => ask(question),
          () => true,
        )
  }

const isOtherRecord = async (
  fetchRecord: FetchRecord,
  topic: TopicName,
  partition: number,
  { epoch, offset, timestamp }: LogMark,
): Promise<boolean> => {
  if (timestamp === undefined) return false
  const found = await fetchRecord(topic, partition, offset)
  // Retention or compaction may have deleted it.
  return found !== undefined && (found.epoch !== epoch || found.timestamp !== timestamp)
}

export const compareLogOf =
  (epochEnds: EpochEnds, fetchRecord: FetchRecord): CompareLog =>
  async (topic, marks) => {
    const epochs = new Map([...marks].map(([partition, { epoch }]) => [partition, epoch]))
    const ends = await epochEnds(topic, epochs)
    const shorter = [...marks].filter(([partition, { epoch, offset }]) => {
      const answer = ends.get(partition)
      return answer !== undefined && answer.epoch === epoch && answer.end <= offset
    })
    // If the log has no newer epoch, its next records get the same epoch and the same offsets as those it has lost.
    const newer = await epochEnds(topic, new Map(shorter.map(([partition, { epoch }]) => [partition, epoch + 1])))
    const stateFor = async (partition: number, mark: LogMark): Promise<LogState> => {
      const answer = ends.get(partition)
      if (answer === undefined) return { kind: 'intact' }
      if (answer.epoch < 0) return { kind: 'replaced', from: 0 }
      if (answer.epoch < mark.epoch) return { kind: 'cut', from: answer.end }
      if (answer.end <= mark.offset)
        return { kind: (newer.get(partition)?.epoch ?? -1) < 0 ? 'replaced' : 'cut', from: answer.end }
      return (await isOtherRecord(fetchRecord, topic, partition, mark))
        ? { kind: 'replaced', from: 0 }
        : { kind: 'intact' }
    }
    return new Map(
      await Promise.all(
        [...marks].map(async ([partition, mark]) => [partition, await stateFor(partition, mark)] as const),
      ),
    )
  }
