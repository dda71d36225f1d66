/**
 * Tells agents something of a visitor, or takes it back:
 * `node enrich.ts acme email john.smith@example.com '{"customData":[{"title":"Plan","content":"Gold"}]}'`, or no JSON.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as J from 'fp-ts/lib/Json.js'
import kafkajs from 'kafkajs'
import { Enrichment, enrichmentFields, enrichmentKey } from 'livechat-bridge-contracts/commands/enrichment'
import { describe, problemsOf } from 'livechat-bridge-contracts/problem'
import { enrichments } from 'livechat-bridge-contracts/topics'

const { KAFKA_BROKERS = '127.0.0.1:9092', TOPIC_PREFIX = 'livechat.' } = process.env
const [accountId = '', name, value = '', json] = process.argv.slice(2)

const fail = (reason: string) => {
  console.error(reason)
  process.exit(1)
}
const field = enrichmentFields.find((known) => known === name) ?? fail(`field: one of ${enrichmentFields.join(', ')}`)
const enrichment =
  json === undefined
    ? undefined
    : pipe(
        J.parse(json),
        E.mapLeft(() => 'not JSON'),
        E.chain((value) =>
          pipe(
            Enrichment.decode(value),
            E.mapLeft((errors) => describe(problemsOf(errors))),
          ),
        ),
      )
if (enrichment && E.isLeft(enrichment)) fail(enrichment.left)

const kafka = new kafkajs.Kafka({ brokers: KAFKA_BROKERS.split(','), logLevel: kafkajs.logLevel.WARN })
const producer = kafka.producer({
  // By murmur2 of the key, so that whatever program writes a key, its records stand in one partition, in order.
  createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
})
await producer.connect()
await producer.send({
  topic: `${TOPIC_PREFIX}${enrichments.name}`,
  acks: -1,
  messages: [{ key: enrichmentKey(accountId, field, value), value: json ?? null }],
})
await producer.disconnect()
