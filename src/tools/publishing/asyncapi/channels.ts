import type * as t from 'io-ts'
import { enrichmentFields } from '../../../../contracts/commands/enrichment.ts'
import { patterns } from '../../../../contracts/primitives.ts'
import { eventTypesOn, keys, recordNames, type Topic, topics } from '../../../../contracts/topics.ts'
import type { PartOf } from '../json-schema.ts'
import type { JsonObject, Schema } from '../schema.ts'

const bindingVersion = '0.5.0'
const defaultPartitions = 12

const messagesOf = (topic: Topic): ReadonlyArray<string> => {
  const { content } = topic
  if (content.kind === 'events') return eventTypesOn(topic)
  const removal = content.kind === 'json' && content.removal !== undefined ? [content.removal.name] : []
  return [...recordNames(topic), ...removal]
}

const describedBy = ({ content }: Topic): t.Mixed => (content.kind === 'bytes' ? content.headers : content.codec)

const configurationOf = ({ cleanUp }: Topic): JsonObject => {
  if (cleanUp === 'compact') return { 'cleanup.policy': ['compact'] }
  return { 'cleanup.policy': ['delete'], 'retention.ms': cleanUp === 'forever' ? -1 : cleanUp.deleteAfterMs }
}

const account = patterns.AccountId.source.slice(1, -1)

/** The schema of a key: its pattern up to the first part that accepts any text. */
const keySchema = (topic: Topic): Schema => {
  const key = keys[topic.key]
  if (!key.startsWith('<')) return { type: 'string', description: key }
  const [known = '', open] = key
    .replace('<account id>', account)
    .replace('<field>', `(${enrichmentFields.join('|')})`)
    .split('<')
  return { type: 'string', description: `\`${key}\``, pattern: `^${known}${open === undefined ? '$' : ''}` }
}

export const asyncApiChannels = (partOf: PartOf): Readonly<Record<string, JsonObject>> =>
  Object.fromEntries(
    topics.map((topic) => [
      topic.name,
      {
        address: `{prefix}${topic.name}`,
        title: topic.name,
        description: partOf(describedBy(topic))?.description ?? '',
        servers: [{ $ref: '#/servers/kafka' }],
        parameters: { prefix: { $ref: '#/components/parameters/prefix' } },
        messages: Object.fromEntries(
          messagesOf(topic).map((name) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
        bindings: {
          kafka: { partitions: defaultPartitions, topicConfiguration: configurationOf(topic), bindingVersion },
        },
      },
    ]),
  )

/** The key of a topic's messages, for their Kafka binding. */
export const keyBindings = (): ReadonlyMap<string, JsonObject> =>
  new Map(
    topics.flatMap((topic) =>
      messagesOf(topic).map((name) => [name, { kafka: { key: keySchema(topic), bindingVersion } }] as const),
    ),
  )

const isOnOne = (message: string) => topics.filter((topic) => messagesOf(topic).includes(message)).length === 1
const pascalCase = (name: string) => name.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())

/**
 * What the bridge does with each message of each topic. Each message has its own operation. From one operation with
 * several messages, generators make a union, and distinguish its members by their fields instead of by the header that
 * names the type.
 */
export const operations = (): Readonly<Record<string, JsonObject>> =>
  Object.fromEntries(
    topics.flatMap((topic) => {
      const action = topic.writtenBy === 'others' ? 'receive' : 'send'
      return messagesOf(topic).map((name) => [
        `${action}${name}${isOnOne(name) ? '' : `On${pascalCase(topic.name)}`}`,
        {
          action,
          channel: { $ref: `#/channels/${topic.name}` },
          summary: `The bridge ${action === 'send' ? 'writes' : 'reads'} ${name} on \`${topic.name}\`, keyed by ${keys[topic.key]}.`,
          messages: [{ $ref: `#/channels/${topic.name}/messages/${name}` }],
        },
      ])
    }),
  )
