import kafkajs from 'kafkajs'
import { deadLetterHeaders } from '../../../../contracts/records.ts'
import { plainClient } from '../../../support/plain-consumer.ts'
import { wrongDocuments } from '../checker.ts'
import { findingsOf, unless, wrong } from '../findings.ts'
import { observedWorld } from '../observed-world.ts'
import type { Scenario } from '../scenario.ts'
import { changeByte, inBatch } from '../segment.ts'
import { streams } from '../streams.ts'

const records = 3

/** Appends a batch that is no event to the first partition. Returns its first offset. */
const append = async (brokers: ReadonlyArray<string>, topic: string, compression: number): Promise<number> => {
  const producer = plainClient(brokers).producer()
  await producer.connect()
  const messages = Array.from({ length: records }, () => ({ key: 'acme/1', value: 'x'.repeat(1_000), partition: 0 }))
  const [at] = await producer.send({ topic, compression, messages })
  await producer.disconnect()
  return Number(at?.baseOffset)
}

const { GZIP, None } = kafkajs.CompressionTypes
/** In the header of compressed bytes, which then cannot be read; and in a plain value, which can still be read. */
const damages = [
  { compression: GZIP, at: inBatch.records + 2 },
  { compression: None, at: inBatch.records + 500 },
]

/** Batches damaged on disk among events of a partition: the bridge keeps them unchanged, and they block nothing. */
export const damagedBatch: Scenario = {
  name: 'damaged-batch',
  promises: '7, 8',
  fault: 'a flipped bit in a compressed and in a plain batch on the disk of the broker, among events',
  controls: ['a damaged batch is one record'],
  inShort: false,
  shortControls: [],
  run: async (cluster, size, without) => {
    const here = await observedWorld(cluster, without)
    const [intake, place] = [await here.place(['ingress']), await here.place(['projector'])]
    const ingress = await intake.start()
    await here.ready(ingress)
    const posts = here.recorder([intake])
    const count = size === 'long' ? 2_000 : 200
    await posts.drive(streams({ workers: 4 }), { count })
    const topic = `${here.prefix}chats`
    const offsets: number[] = []
    for (const { compression } of damages) offsets.push(await append(here.brokers, topic, compression))
    await posts.drive(streams({ workers: 4, from: 100 }), { count })
    const batches = damages.map(({ at }, i) =>
      changeByte(cluster, { topic, partition: 0, offset: offsets[i] ?? -1 }, at, (byte) => byte ^ 1),
    )

    const projector = await place.start()
    const caughtUp = await here.caughtUp(without === undefined ? 60_000 : 20_000)
    const letters = await here.dead()
    const [expected, actual] = [await here.fold(), await here.documents()]
    const verdict = await here.verdict(posts.history)
    await projector.kill('SIGTERM')
    await ingress.kill('SIGTERM')
    await here.stop()
    const { topic: from, partition, offset: last, cause } = deadLetterHeaders
    const origins = letters.map(({ headers }) =>
      [from, partition, last, cause].map((name) => headers[name]?.toString()).join(' '),
    )
    const expectedOrigins = offsets.map((offset) => `chats 0 ${offset + records - 1} unreadable-batch`)
    return findingsOf(verdict, {
      injected: damages.length,
      failures: [
        ...unless(caughtUp, 'events wait behind the damaged batch'),
        ...unless(letters.length === batches.length, `${letters.length} dead letters`),
        ...unless(
          batches.every((batch) => letters.some(({ value }) => value?.equals(batch))),
          'the dead letters have not the bytes of the batches',
        ),
        ...unless(
          origins.toSorted().join() === expectedOrigins.toSorted().join(),
          `the dead letters say: ${origins.join(', ')}`,
        ),
        ...wrong('documents that differ from the fold of the log', wrongDocuments(expected, actual)),
      ],
      notes: letters.map(
        ({ value }) => `a batch of ${records} records kept as one dead letter of ${value?.length} bytes`,
      ),
    })
  },
}
