import '../../../../src/bridge/kafka/kafkajs-patches/request-queue.ts'
import kafkajs, { type Message } from 'kafkajs'

export const kafkaOf = (brokers: ReadonlyArray<string>) =>
  new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.ERROR })

/** Sends all waiting records in one send at a time, the fastest way with kafkajs. Resolves once they are in the log. */
export const groupCommit = async (brokers: ReadonlyArray<string>, topic: string) => {
  const producer = kafkaOf(brokers).producer()
  await producer.connect()
  let waiting: Array<{ readonly message: Message; readonly done: PromiseWithResolvers<void> }> = []
  let isBusy = false
  const run = async () => {
    isBusy = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      await producer.send({ topic, acks: -1, messages: batch.map(({ message }) => message) })
      for (const { done } of batch) done.resolve()
    }
    isBusy = false
  }
  return (message: Message): Promise<void> => {
    const done = Promise.withResolvers<void>()
    waiting.push({ message, done })
    if (!isBusy) void run()
    return done.promise
  }
}

/** Reads every new record of a topic. Resolves once it has its partitions. */
export const hearTopic = async (
  brokers: ReadonlyArray<string>,
  topic: string,
  groupId: string,
  hear: (message: Message) => void,
): Promise<void> => {
  const consumer = kafkaOf(brokers).consumer({ groupId })
  const joined = new Promise<void>((resolve) => consumer.on(consumer.events.GROUP_JOIN, () => resolve()))
  await consumer.connect()
  await consumer.subscribe({ topic, fromBeginning: true })
  await consumer.run({ eachBatch: async ({ batch }) => batch.messages.forEach(hear) })
  await joined
}
