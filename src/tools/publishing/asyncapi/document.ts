import type * as t from 'io-ts'
import { DomainEvent } from '../../../../contracts/events/index.ts'
import {
  type Content,
  ceDataSchema,
  ceType,
  codecsOf,
  type Topic,
  topics,
  versionName,
} from '../../../../contracts/topics.ts'
import { archived, commands, events, headers, typeOf } from '../catalogue.ts'
import { leavesOfGenerators } from '../codecs.ts'
import { exampleArchived, exampleHeaders, exampleOf } from '../examples.ts'
import type { PartOf, Style } from '../json-schema.ts'
import { about, type JsonObject, refTo, type Schema } from '../schema.ts'
import { schemaWithParts } from '../schemas.ts'
import { asyncApiChannels, keyBindings, operations } from './channels.ts'

const json = 'application/json'
/** Generators read this document more than validators do. Validators have the JSON Schemas. */
const style: Style = {
  leaves: leavesOfGenerators,
  discriminator: (field) => ({ discriminator: field }),
  withoutNull: true,
}
const place = 'components/schemas'
const schemaRef = (name: string): Schema => refTo(place, name)
const constant = (value: string): Schema => ({ type: 'string', const: value })

const eventMessage = (event: (typeof DomainEvent.types)[number], partOf: PartOf): JsonObject => {
  const type = typeOf(event)
  const headers = { ce_type: constant(ceType(type)), ce_dataschema: constant(ceDataSchema(type)) }
  return {
    name: type,
    title: type,
    summary: partOf(event)?.description ?? '',
    contentType: json,
    headers: { type: 'object', allOf: [schemaRef('EventHeaders'), { type: 'object', properties: headers }] },
    payload: schemaRef(type),
    examples: [{ name: type, headers: exampleHeaders(type), payload: exampleOf(type) }],
  }
}

const archivedMessage = (codec: t.Mixed, partOf: PartOf): JsonObject => ({
  name: codec.name,
  title: codec.name,
  summary: partOf(codec)?.description ?? '',
  contentType: json,
  headers: schemaRef('EventHeaders'),
  payload: schemaRef(codec.name),
  examples: [{ name: codec.name, headers: exampleHeaders('ClientMessageReceived'), payload: exampleArchived }],
})

type Of<Kind extends Content['kind']> = Extract<Content, { readonly kind: Kind }>

const jsonMessage = (codec: t.Mixed, { note, examples }: Of<'json'>, partOf: PartOf): JsonObject => {
  const { name } = codec
  return {
    name,
    title: name,
    summary: partOf(codec)?.description ?? '',
    ...(note !== undefined && { description: note }),
    contentType: json,
    payload: schemaRef(name),
    examples: [{ name, payload: examples[name] as JsonObject }],
  }
}

const bytes: Schema = { type: 'string', description: 'Bytes as they were received, not decoded.' }

const bytesMessage = ({ message: name, headers, example }: Of<'bytes'>, partOf: PartOf): JsonObject => ({
  name,
  title: name,
  summary: partOf(headers)?.description ?? '',
  contentType: 'application/octet-stream',
  headers: schemaRef(headers.name),
  payload: bytes,
  examples: [{ name, headers: example as JsonObject, payload: '{"event_name":"chat_accepted","chat_id":true}' }],
})

/** The messages of a topic that are no events. */
const othersOn = (topic: Topic, partOf: PartOf): ReadonlyArray<JsonObject> => {
  const { content } = topic
  if (content.kind === 'events') return []
  if (content.kind === 'bytes') return [bytesMessage(content, partOf)]
  if (content.kind === 'archived events') return [archivedMessage(content.codec, partOf)]
  const removal = content.removal === undefined ? [] : [{ ...content.removal, payload: { type: 'null' } }]
  return [...codecsOf(topic).map((codec) => jsonMessage(codec, content, partOf)), ...removal]
}

/** Every message by its name. */
const messages = (partOf: PartOf): Readonly<Record<string, JsonObject>> =>
  Object.fromEntries([
    ...DomainEvent.types.map((event) => [typeOf(event), eventMessage(event, partOf)] as const),
    ...topics.flatMap((topic) => othersOn(topic, partOf)).map((message) => [String(message.name), message] as const),
  ])

/**
 * The schemas of payloads, of headers and of the parts that they share, each defined once. Events have the names of
 * their newest versions without the number.
 */
const schemas = (partOf: PartOf): JsonObject => {
  const newest = DomainEvent.types.map((event) => versionName(typeOf(event)))
  const entries = [...events.filter(({ name }) => newest.includes(name)), ...commands, archived, ...headers]
  const found = entries.map((entry) => schemaWithParts(entry, partOf, place, style))
  return {
    ...Object.assign({}, ...found.map(({ definitions }) => definitions)),
    ...Object.fromEntries(found.map(({ title, schema }) => [title, schema])),
  }
}

const description = `Events of a live-chat service on Kafka, and the commands that the bridge accepts.

Delivery is at least once: a record that is delivered twice has the same \`ce_id\`. Records with one key are in order. Events are
CloudEvents 1.0 in the Kafka protocol binding's binary mode: attributes in the headers, the data alone as the value.

The names of topics have a prefix, \`livechat.\` if nothing else is configured. The schemas are JSON Schema 2020-12, with
keywords only that mean the same in draft 07, which AsyncAPI assumes.`

/** AsyncAPI 3.0 of all topics, complete in one file. */
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
    channels: asyncApiChannels(partOf),
    operations: operations(),
    components: {
      parameters: {
        prefix: { description: 'TOPIC_PREFIX of the bridge.', default: 'livechat.' },
      },
      schemas: schemas(partOf),
      messages: Object.fromEntries(withKeys),
    },
  }
}
