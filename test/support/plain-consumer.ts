import kafkajs from 'kafkajs'

/** A record as any other team's consumer sees it; `topic` is without the prefix. */
export type PlainRecord = {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly key: string
  readonly value: Buffer
  readonly headers: Readonly<Record<string, string>>
}

export const plainClient = (brokers: ReadonlyArray<string>) =>
  new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.NOTHING })

/** A plain kafkajs consumer, without any of our code, that keeps everything on the topics of a prefix from their beginning. */
export const plainConsumer = async (brokers: ReadonlyArray<string>, prefix: string) => {
  const records: PlainRecord[] = []
  const consumer = plainClient(brokers).consumer({ groupId: `${prefix}plain`, maxWaitTimeInMs: 100 })
  await consumer.connect()
  await consumer.subscribe({ topics: [new RegExp(`^${prefix.replaceAll('.', '\\.')}`)], fromBeginning: true })
  await consumer.run({
    eachMessage: async ({ topic, partition, message: { key, value, headers, offset } }) => {
      records.push({
        topic: topic.slice(prefix.length),
        partition,
        offset: Number(offset),
        key: key?.toString() ?? '',
        value: value ?? Buffer.alloc(0),
        headers: Object.fromEntries(Object.entries(headers ?? {}).map(([name, header]) => [name, String(header)])),
      })
    },
  })
  return { records, stop: () => consumer.disconnect() }
}
