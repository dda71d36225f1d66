import { eventually } from '../../../support/eventually.ts'
import { plainClient } from '../../../support/plain-consumer.ts'
import { findingsOf, unless } from '../findings.ts'
import { observedWorld } from '../observed-world.ts'
import { after } from '../progress.ts'
import type { Scenario } from '../scenario.ts'
import { changeByte, inBatch } from '../segment.ts'
import { streams } from '../streams.ts'

/** The lowest three bits of a batch's attributes name its compression; Kafka has none with this number. */
const unknownCodec = 5

const append = async (brokers: ReadonlyArray<string>, topic: string): Promise<number> => {
  const producer = plainClient(brokers).producer()
  await producer.connect()
  const [at] = await producer.send({ topic, messages: [{ key: 'acme/1', value: 'x', partition: 0 }] })
  await producer.disconnect()
  return Number(at?.baseOffset)
}

/** A batch that the projector cannot read: it reports this, and continues once its group has skipped the batch. */
export const codec: Scenario = {
  name: 'codec',
  promises: '7',
  fault: 'a batch with a compression that nobody knows yet',
  controls: ['a consumer that tells of its trouble'],
  inShort: false,
  shortControls: [],
  run: async (cluster, _size, without) => {
    const here = await observedWorld(cluster, without)
    const [intake, place] = [await here.place(['ingress']), await here.place(['projector'])]
    const ingress = await intake.start()
    let projector = await place.start()
    await here.ready(projector)
    const posts = here.recorder([intake])
    await posts.drive(streams({ workers: 4 }), { count: 200 })
    await here.caughtUp()

    // No broker accepts such a batch from a producer today, so the test changes it on disk.
    await projector.kill('SIGTERM')
    const topic = `${here.prefix}calls`
    const at = { topic, partition: 0, offset: await append(here.brokers, topic) }
    changeByte(cluster, at, inBatch.attributes, (byte) => byte | unknownCodec, true)
    projector = await place.start()
    const began = performance.now()
    const told = await eventually(
      'readiness to say why',
      async () => {
        const answer = await projector.readiness()
        return /not implemented/i.test(answer) && !(await projector.isReady()) ? answer : undefined
      },
      without === undefined ? 45_000 : 15_000,
    ).catch(() => undefined)
    const tookMs = performance.now() - began

    await projector.kill('SIGTERM')
    await here.skip('calls', 0, 1)
    projector = await place.start()
    const load = posts.drive(streams({ workers: 4, from: 100 }), { count: 200 })
    await after(200, posts, load)
    const goesOn = await here.caughtUp()
    // The reader of the log supports no more codecs than the projector.
    changeByte(cluster, at, inBatch.attributes, (byte) => byte & ~unknownCodec, true)
    const verdict = await here.verdict(posts.history)
    await ingress.kill('SIGTERM')
    await here.stop()
    return findingsOf(verdict, {
      injected: 1,
      failures: [
        ...unless(told !== undefined, 'readiness does not say that a codec is missing'),
        ...unless(goesOn, 'does not go on behind it'),
      ],
      notes: [`not ready with the reason after ${(tookMs / 1000).toFixed(1)} s`],
    })
  },
}
