import { MongoClient } from 'mongodb'
import { enrichments } from '../../../../contracts/topics.ts'
import { eventually } from '../../../support/eventually.ts'
import { plainClient } from '../../../support/plain-consumer.ts'
import { unless } from '../../faults/findings.ts'
import { wait } from '../../faults/progress.ts'
import type { Scenario } from '../../faults/scenario.ts'
import { clientStreams } from '../../faults/streams.ts'
import type { Three } from '../three.ts'
import { underLoad } from '../under-load.ts'

/** Longer than the 5 s that a write waits for a majority and the pause before the retry, which finds the write. */
const behindMs = 7_000
const published = 20

const publish = async (brokers: ReadonlyArray<string>, prefix: string) => {
  const producer = plainClient(brokers).producer()
  await producer.connect()
  const value = JSON.stringify({ crmLink: 'https://crm.example.com/' })
  const messages = Array.from({ length: published }, (_, i) => ({ key: `acme/clientId:${i}`, value }))
  await producer.send({ topic: `${prefix}${enrichments.name}`, messages })
  await producer.disconnect()
}

/** How many enrichments are stored, after 30 s at most. */
const stored = async (url: string): Promise<number> => {
  await using client = await MongoClient.connect(url)
  const count = () => client.db().collection('enrichments').countDocuments()
  await eventually('all enrichments', async () => (await count()) === published || undefined, 30_000).catch(() => {})
  return await count()
}

/**
 * The primary's writes are not replicated for longer than a write waits, and then it dies. The load is clients and
 * enrichments, since no statistics are computed from their documents: nothing else waits for a majority.
 */
export const unreplicated: Scenario<Three> = {
  name: 'unreplicated',
  promises: '3, 20',
  fault: 'replication to both secondaries stops for 7 s, then the primary SIGKILL',
  controls: ['documents are read as a majority has them'],
  inShort: false,
  shortControls: [],
  run: (cluster, _size, without) =>
    underLoad(
      cluster,
      without,
      async ({ passes, goesOn, prefix, mongoUrl }) => {
        await passes(400)
        const { source: victim, resume } = await cluster.mongo.stopReplication()
        cluster.afterwards(resume)
        await publish(cluster.brokers, prefix)
        await wait(behindMs)
        victim.kill()
        await resume()
        await cluster.mongo.primary()
        await passes(200)
        const went = await goesOn()
        await victim.restart()
        const found = await stored(mongoUrl)
        return {
          injected: 2,
          failures: [
            ...unless(went, 'it does not go on after the primary died'),
            ...unless(found === published, `${published - found} of ${published} enrichments are missing`),
          ],
        }
      },
      { messages: false, events: clientStreams({ workers: 8, clients: 400 }) },
    ),
}
