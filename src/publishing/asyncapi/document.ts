import { about } from '../about.ts'
import type { PartOf } from '../json-schema.ts'
import type { JsonObject } from '../schema.ts'
import { channels, keyBindings, operations } from './channels.ts'
import { messages } from './messages.ts'

const description = `What happens in a live-chat service, as events on Kafka, and what may be told to it.

Delivery is at least once: a record that comes twice has the same \`ce_id\`. Records with one key are in order. Events are
CloudEvents 1.0 in the Kafka protocol binding's binary mode: attributes in the headers, the data alone as the value.

The names of topics have a prefix, \`livechat.\` if nothing else is configured. The schemas are JSON Schema 2020-12, with
keywords only that mean the same in draft 07, which AsyncAPI takes for granted.`

/** AsyncAPI 3.0 of all topics; the schemas are files beside it. */
export const asyncapi = (partOf: PartOf): JsonObject => {
  const keys = keyBindings()
  const withKeys = Object.entries(messages(partOf)).map(([name, message]) => [
    name,
    { ...message, bindings: keys.get(name) ?? {} },
  ])
  return {
    asyncapi: '3.0.0',
    id: 'urn:livechat:bridge',
    info: {
      ...about('Live-chat bridge: topics', description),
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      kafka: {
        host: '{host}:{port}',
        protocol: 'kafka',
        description: 'The cluster of KAFKA_BROKERS; with KAFKA_SSL its protocol is kafka-secure.',
        variables: { host: { default: '127.0.0.1' }, port: { default: '9092' } },
      },
    },
    channels: channels(partOf),
    operations: operations(),
    components: {
      parameters: {
        prefix: { description: 'TOPIC_PREFIX of the bridge.', default: 'livechat.' },
      },
      messages: Object.fromEntries(withKeys),
    },
  }
}
