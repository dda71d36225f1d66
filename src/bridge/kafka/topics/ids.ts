import type { TopicName } from '../../../../contracts/topics.ts'
import type { TopicIds } from '../../domain/log/positions.ts'
import type { AskOf, Broker, Cluster } from '../admin.ts'

const apiKey = 3
// The first version with topic ids, and the last with all operations. kafkajs supports only versions up to 6.
const apiVersion = 10
const noId = Buffer.alloc(16)

const varint = (value: number): Buffer =>
  value < 0x80 ? Buffer.from([value]) : Buffer.from([(value & 0x7f) | 0x80, value >> 7])

/** What a broker knows of a topic. `operations`: a bit for each operation that the user may do, if the request asks. */
export type TopicMetadata = {
  readonly name: string
  readonly error: number
  readonly id: string
  readonly operations: number
}

/** A Metadata request of version 10. It begins with the header's tag buffer, which kafkajs does not write. */
export const encodeMetadataRequest = (names: ReadonlyArray<string>, withOperations: boolean): Buffer =>
  Buffer.concat([
    Buffer.from([0]),
    varint(names.length + 1),
    ...names.flatMap((name) => [noId, varint(Buffer.byteLength(name) + 1), Buffer.from(name), Buffer.from([0])]),
    // Create no topics, request no operations on the cluster, perhaps those on the topics, no tags.
    Buffer.from([0, 0, Number(withOperations), 0]),
  ])

/** The topics in the response. */
export const decodeMetadataResponse = (bytes: Buffer): ReadonlyArray<TopicMetadata> => {
  let at = 0
  const skip = (count: number) => {
    at += count
  }
  const length = () => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const int16 = () => {
    at += 2
    return bytes.readInt16BE(at - 2)
  }
  // A nullable string has its length plus one; 0 is null.
  const string = () => {
    const size = Math.max(0, length() - 1)
    at += size
    return bytes.toString('utf8', at - size, at)
  }
  const each = (read: () => void) => {
    for (let left = length() - 1; left > 0; left--) read()
  }
  const numbers = () => skip(4 * Math.max(0, length() - 1))
  const tags = () => {
    for (let left = length(); left > 0; left--) {
      length()
      skip(length())
    }
  }
  const topics: Array<TopicMetadata> = []
  tags()
  skip(4)
  each(() => {
    skip(4)
    string()
    skip(4)
    string()
    tags()
  })
  string()
  skip(4)
  each(() => {
    const error = int16()
    const name = string()
    const id = bytes.toString('base64url', at, at + 16)
    skip(17)
    each(() => {
      skip(14)
      for (let lists = 0; lists < 3; lists++) numbers()
      tags()
    })
    const operations = bytes.readInt32BE(at)
    skip(4)
    tags()
    topics.push({ name, error, id, operations })
  })
  return topics
}

/** Undefined if the broker is older than Kafka 2.8. */
export const topicMetadataOf = async (
  broker: Broker,
  names: ReadonlyArray<string>,
  withOperations = false,
): Promise<ReadonlyArray<TopicMetadata> | undefined> => {
  if ((broker.versions[apiKey]?.maxVersion ?? 0) < apiVersion) return undefined
  const encode = async () => {
    const buffer = encodeMetadataRequest(names, withOperations)
    return { buf: buffer, buffer }
  }
  return (await broker.connectionPool.send({
    request: { apiKey, apiVersion, apiName: 'Metadata', encode },
    response: { decode: async (bytes: Buffer) => decodeMetadataResponse(bytes), parse: async (data: unknown) => data },
  })) as ReadonlyArray<TopicMetadata>
}

/** Requests the ids of topics. Empty if the brokers are older than 2.8 and have none. Rejects if a topic has no id. */
export const topicIdsOf = (ask: AskOf<Cluster>, prefix: string) => {
  const askFor = (names: ReadonlyArray<string>) =>
    ask(async (cluster) => {
      const [first] = names
      if (first === undefined) return undefined
      await cluster.addTargetTopic(first)
      const leader = cluster.findTopicPartitionMetadata(first).find((partition) => partition.leader >= 0)?.leader
      const found = await topicMetadataOf(await cluster.findBroker({ nodeId: leader ?? -1 }), names)
      return found && new Map(found.flatMap(({ name, error, id }) => (error === 0 ? [[name, id]] : [])))
    })
  return async (topics: ReadonlyArray<TopicName>): Promise<TopicIds> => {
    const ids = await askFor(topics.map((topic) => `${prefix}${topic}`))
    return ids === undefined ? new Map() : idsOf(topics, prefix, ids)
  }
}

/** Throws if the broker does not know a topic yet. An empty id would make the offsets of any topic valid. */
export const idsOf = (
  topics: ReadonlyArray<TopicName>,
  prefix: string,
  ids: ReadonlyMap<string, string>,
): ReadonlyMap<TopicName, string> =>
  new Map(
    topics.map((topic) => {
      const id = ids.get(`${prefix}${topic}`)
      if (id === undefined) throw new Error(`a topic id is not known yet: ${topic}`)
      return [topic, id] as const
    }),
  )
