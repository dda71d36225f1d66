import * as E from 'fp-ts/lib/Either.js'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import {
  type EventTopicName,
  eventTopicNames,
  eventTopics,
  eventTypesOn,
  type TopicName,
} from '../../../contracts/topics.ts'
import type { OutgoingRecord } from '../../bridge/domain/log/record.ts'
import type { ReplayEvent } from '../../bridge/operations/archive/archive-operations.ts'
import { refusalOf } from '../../bridge/operations/archive/replay.ts'
import { type Done, operation, type Resources, type Run, type Stop, stop } from '../../bridge/operations/operation.ts'
import { anyText, oneOf } from '../../bridge/operations/options.ts'
import { exampleHeaders, exampleOf } from './examples.ts'
import type { JsonObject } from './schema.ts'

const retentionDays = 7
const withinMs = 30_000

/**
 * One record of each type that these topics carry. A type has the same `ce_id` in each run: a second run is a
 * repetition.
 */
const sampleRecords = (into: string, of: ReadonlyArray<EventTopicName>): ReadonlyArray<OutgoingRecord> => {
  const types = new Set<DomainEvent['type']>(
    eventTopics.filter(({ name }) => of.includes(name)).flatMap((topic) => eventTypesOn(topic)),
  )
  return [...types].map((type) => {
    const headers: JsonObject = { ...exampleHeaders(type), ce_id: `sample-${type}` }
    const texts = Object.entries(headers).map(([name, text]) => [name, String(text)])
    const data = exampleOf(type)
    return {
      topic: into as TopicName,
      key: `${data.accountId}/${headers.ce_subject}`,
      value: JSON.stringify(data),
      headers: Object.fromEntries(texts),
    }
  })
}

export type SampleEvent = Extract<ReplayEvent, { kind: 'created' }>

/** How many records of the types of these topics are in the topic. */
export type Sampled = { readonly records: number; readonly of: ReadonlyArray<EventTopicName>; readonly topic: string }

const eventTopic = oneOf(eventTopicNames)

export const sample = operation({
  name: 'sample',
  summary: 'write one record of each event type to a topic of yours, for tests of consumers',
  description:
    'Write one record of each event type to a topic, for tests of consumers. The topic is created if it is missing. It is none of the bridge. A second run repeats the events under the same ids.',
  options: {
    topic: {
      about: 'the full name of the topic',
      value: 'topic',
      read: anyText,
      isArgument: true,
      isRequired: true,
    },
    of: {
      about: `only the types of these topics: ${eventTopicNames.join(', ')}`,
      value: 'topic',
      read: eventTopic,
      many: 'list',
    },
  },
  needs: { kafka: true, appendTo: true, topicPrefix: true },
  select: async ({ topicPrefix }: Pick<Resources, 'kafka' | 'appendTo' | 'topicPrefix'>, options) => {
    const refused = refusalOf(options.topic, topicPrefix)
    return refused === undefined ? E.right(options) : stop('refused', refused)
  },
  act: async ({ kafka, appendTo }, { topic, of = eventTopicNames }, { say }: Run<SampleEvent, never>) => {
    if (await kafka.createTopic(topic, of[0] ?? 'chats', 1, retentionDays))
      say({ kind: 'created', topic, partitions: 1, retentionDays })
    const records = sampleRecords(topic, of)
    for (const record of records) {
      const appended = await appendTo(record, withinMs)
      if (E.isLeft(appended)) return stop('unavailable', `${topic}: ${appended.left.reason}`)
    }
    return E.right<Stop, Done<Sampled>>({ code: 0, result: { records: records.length, of, topic } })
  },
})
