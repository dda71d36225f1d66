import kafkajs from 'kafkajs'
import { deadLetterHeaders } from '../../../contracts/topics.ts'
import { plainClient } from '../../support/plain-consumer.ts'
import { wrongDocuments } from '../checker.ts'
import { findingsOf, unless, wrong } from '../findings.ts'
import type { Scenario } from '../scenario.ts'
import { changeByte, inBatch } from '../segment.ts'
import { streams } from '../streams.ts'
import { world } from '../world.ts'

const records = 3

/** Appends a compressed batch that is no event's to the first partition; its first offset. */
const append = async (brokers: ReadonlyArray<string>, topic: string): Promise<number> => {
  const producer = plainClient(brokers).producer()
  await producer.connect()
  const messages = Array.from({ length: records }, () => ({ key: 'acme/1', value: 'x'.repeat(1_000), partition: 0 }))
  const [at] = await producer.send({ topic, compression: kafkajs.CompressionTypes.GZIP, messages })
  await producer.disconnect()
  return Number(at?.baseOffset)
}

/** A batch that the disk has damaged, between events of the same partition: it is kept as it stands, and holds up nothing. */
export const damagedBatch: Scenario = {
  name: 'damaged-batch',
  promises: '7, 8',
  fault: 'a flipped bit in a compressed batch on the disk of the broker, among events',
  controls: ['a damaged batch is one record'],
  inShort: false,
  shortControls: [],
  run: async (cluster, size, without) => {
    const here = await world(cluster, without)
    const [intake, place] = [await here.place(['ingress']), await here.place(['projector'])]
    const ingress = await intake.start()
    await here.ready(ingress)
    const posts = here.recorder([intake])
    const count = size === 'long' ? 2_000 : 200
    await posts.drive(streams({ workers: 4 }), { count })
    const topic = `${here.prefix}chats`
    const offset = await append(here.brokers, topic)
    await posts.drive(streams({ workers: 4, from: 100 }), { count })
    // In the header of the compressed bytes, which says how they are compressed.
    const bytes = changeByte(cluster, { topic, partition: 0, offset }, inBatch.records + 2, (byte) => byte ^ 1)

    const projector = await place.start()
    const caughtUp = await here.caughtUp(without === undefined ? 60_000 : 20_000)
    const letters = await here.dead()
    const [expected, actual] = [await here.fold(), await here.documents()]
    const verdict = await here.verdict(posts.history)
    await projector.kill('SIGTERM')
    await ingress.kill('SIGTERM')
    await here.stop()
    const [letter] = letters
    const told = (name: string) => letter?.headers[name]?.toString()
    const { topic: from, partition, offset: last, cause } = deadLetterHeaders
    const origin = [told(from), told(partition), told(last), told(cause)].join(' ')
    return findingsOf(verdict, {
      injected: 1,
      failures: [
        ...unless(caughtUp, 'events wait behind the damaged batch'),
        ...unless(letters.length === 1, `${letters.length} dead letters`),
        ...unless(letter?.value?.equals(bytes) === true, 'the dead letter has not the bytes of the batch'),
        ...unless(origin === `chats 0 ${offset + records - 1} unreadable-batch`, `the dead letter says: ${origin}`),
        ...wrong('documents that differ from the fold of the log', wrongDocuments(expected, actual)),
      ],
      notes: [`a batch of ${records} records kept as one dead letter of ${letter?.value?.length} bytes`],
    })
  },
}
