import { randomBytes } from 'node:crypto'
import { deadLetterHeaders, eventTopics } from '../../../contracts/topics.ts'
import { plainClient } from '../../support/plain-consumer.ts'
import { wrongDocuments } from '../checker.ts'
import { findingsOf, unless, wrong } from '../findings.ts'
import { wait } from '../progress.ts'
import type { Scenario } from '../scenario.ts'
import { streams } from '../streams.ts'
import { world } from '../world.ts'

const beyondDouble = '9007199254740993'
const attributes = (type: string) => ({
  ...{ ce_specversion: '1.0', ce_id: 'poison', ce_source: '/accounts/acme/webhooks', ce_subject: '1' },
  ...{ ce_type: type, ce_time: '2026-01-31T10:00:00.000Z', ce_dataschema: 'urn:livechat:schemas:x' },
})

/** Values that no event has; every one has bytes of its own, so that its dead letter is known by them. */
const poisons = (n: number): ReadonlyArray<Buffer> => [
  randomBytes(200),
  Buffer.from('['.repeat(n === 0 ? 1_000_000 : 10_000 + n)),
  Buffer.from(`{"accountId":"acme","chatId":${beyondDouble},"n":${n}}`),
  Buffer.from(`{"accountId":"acme","chatId":"1","n":${n},"visitor":{"number":${beyondDouble}}}`),
]

/** Among good events, on every topic of events, one record of a hundred is poison. */
export const poison: Scenario = {
  name: 'poison',
  promises: '8',
  fault: 'bad bytes, JSON of depth 1,000,000 and ids beyond 2^53 on every topic of events, 1 % of the records',
  controls: ['dead letters'],
  inShort: false,
  shortControls: [],
  run: async (cluster, size, without) => {
    const here = await world(cluster, without)
    const [intake, place] = [await here.place(['ingress']), await here.place(['projector'])]
    const [ingress, projector] = [await intake.start(), await place.start()]
    await here.ready(projector)
    const posts = here.recorder([intake])
    const count = size === 'long' ? 10_000 : 2_000
    const load = posts.drive(streams({ workers: 8, messages: true }), { count })
    const producer = plainClient(here.brokers).producer()
    await producer.connect()
    const sent = new Map<string, { readonly origin: string; readonly headers: Readonly<Record<string, string>> }>()
    const types = [
      'ChatAccepted',
      'CallStatusChanged',
      'ClientUpdated',
      'OfflineMessageReceived',
      'ClientMessageReceived',
    ]
    const rounds = count / 100 / (eventTopics.length * 4)
    for (let round = 0; round < rounds; round++)
      for (const [i, { name }] of eventTopics.entries())
        for (const value of poisons(round * eventTopics.length + i)) {
          const headers = { ...attributes(`livechat.${types[i]}.v1`), 'x-foreign': `kept-${sent.size}` }
          const topic = here.prefix + name
          const [at] = await producer.send({ topic, messages: [{ key: `acme/poison-${sent.size}`, value, headers }] })
          sent.set(value.toString('base64'), { origin: `${name}/${at?.partition}/${at?.baseOffset}`, headers })
          await wait(5)
        }
    await producer.disconnect()
    await load
    const caughtUp = await here.caughtUp(without === undefined ? 90_000 : 15_000)
    const letters = await here.dead()
    const [expected, actual] = [await here.fold(), await here.documents()]
    const verdict = await here.verdict(posts.history)
    await projector.kill('SIGTERM')
    await ingress.kill('SIGTERM')
    await here.stop()
    const { topic, partition, offset, cause } = deadLetterHeaders
    const bad = [...sent].flatMap(([bytes, { origin, headers }]) => {
      const letter = letters.find(({ value }) => value?.toString('base64') === bytes)
      if (letter === undefined) return [`${origin} is in no dead letter`]
      const told = (name: string) => letter.headers[name]?.toString() ?? ''
      const from = `${told(topic)}/${told(partition)}/${told(offset)}`
      const changed = Object.entries(headers).filter(([name, value]) => told(name) !== value)
      return [
        ...unless(from === origin, `${origin} is said to be from ${from}`),
        ...unless(told(cause) !== '', `${origin} has no cause`),
        ...unless(changed.length === 0, `${origin} has other headers: ${changed.map(([name]) => name).join(', ')}`),
      ]
    })
    return findingsOf(verdict, {
      injected: sent.size,
      failures: [
        ...wrong('dead letters that are not as they should be', bad),
        ...unless(letters.length === sent.size, `${letters.length} dead letters of ${sent.size} poisons`),
        ...unless(caughtUp, 'good events wait behind poison'),
        ...wrong('documents that differ from the fold of the log', wrongDocuments(expected, actual)),
      ],
      notes: [`${letters.length} dead letters with exact bytes, headers, origin and cause`],
    })
  },
}
