import type { Kafka } from 'kafkajs'

type Partitions = ReadonlyArray<{ readonly partition: number }>
type Question = { readonly topic: string; readonly fromBeginning: boolean; readonly partitions: Partitions }
type Offsets = ReadonlyArray<{ readonly partition: number; readonly offset: string }>

/** A request of Kafka's protocol in the version that a broker wants, with the decoder of its response. */
export type ProtocolCall<Response> = {
  readonly request: { readonly encode: () => Promise<object> }
  readonly response: { readonly decode: (bytes: Buffer) => Promise<Response> }
}
export type Broker = {
  readonly versions: Readonly<Record<number, { readonly maxVersion: number }>>
  readonly lookupRequest: (apiKey: number, versions: object) => (request: object) => ProtocolCall<unknown>
  readonly connectionPool: { readonly send: (call: object) => Promise<unknown> }
  readonly initProducerId: (request: object) => Promise<{ readonly producerId: string }>
}

/** What lies under kafkajs's clients, as far as it is used here. */
export type Cluster = {
  readonly connect: () => Promise<void>
  readonly disconnect: () => Promise<void>
  readonly addTargetTopic: (topic: string) => Promise<void>
  readonly refreshMetadataIfNecessary: () => Promise<void>
  readonly findTopicPartitionMetadata: (
    topic: string,
  ) => ReadonlyArray<{ readonly partitionId: number; readonly leader: number }>
  readonly findBroker: (broker: { readonly nodeId: number }) => Promise<Broker>
  readonly fetchTopicsOffset: (
    questions: ReadonlyArray<Question>,
  ) => Promise<ReadonlyArray<{ readonly topic: string; readonly partitions: Offsets }>>
}
type Settings = {
  readonly metadataMaxAge: number
  readonly allowAutoTopicCreation: false
  readonly isolationLevel: number
}

// Partitions that were added are known after so long.
const metadataMaxAge = 1_000
const readCommitted = 1

/** kafkajs 2.2.4 keeps the making of it in a property that is named by a symbol of its own. */
const makerOf = (kafka: Kafka): ((settings: Settings) => Cluster) => {
  const name = Object.getOwnPropertySymbols(kafka).find(({ description }) =>
    description?.endsWith('Kafka:createCluster'),
  )
  const make: unknown = name && Reflect.get(kafka, name)
  if (typeof make !== 'function') throw new Error('kafkajs makes no cluster where it is expected')
  return (settings) => make(settings)
}

export const clusterOf = (kafka: Kafka): Cluster =>
  makerOf(kafka)({ metadataMaxAge, allowAutoTopicCreation: false, isolationLevel: readCommitted })

/** Where the log of each partition ends, by one question to each broker; kafkajs's admin client asks three, one after another. */
export const endsOf = async (cluster: Cluster, topic: string): Promise<ReadonlyMap<number, number>> => {
  await cluster.addTargetTopic(topic)
  await cluster.refreshMetadataIfNecessary()
  const partitions = cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => ({ partition: partitionId }))
  const [answer] = await cluster.fetchTopicsOffset([{ topic, fromBeginning: false, partitions }])
  return new Map(answer?.partitions.map(({ partition, offset }) => [partition, Number(offset)]))
}
