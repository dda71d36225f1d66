import * as E from 'fp-ts/lib/Either.js'
import { BotReply } from '../../../contracts/commands/bot-reply.ts'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import { recordedTypes } from '../../../contracts/events/upcast.ts'
import { earlierVersions } from '../../../contracts/events/versions.ts'
import { Id } from '../../../contracts/primitives.ts'
import { describe, problemsOf } from '../../../contracts/problem.ts'
import {
  botReplies,
  ceDataSchema,
  ceType,
  keyOf,
  type Topic,
  topicOf,
  topics,
  topicsOf,
} from '../../../contracts/topics.ts'
import { decodeJson, readValue, type Undecodable, undecodable } from '../domain/decode-json.ts'
import type { Decode, Folded } from '../domain/folded.ts'
import type { IncomingRecord, OutgoingRecord } from '../domain/log/record.ts'
import { quarantinedRequest } from '../domain/quarantined.ts'
import { isJsonObject } from '../shared/json.ts'
import { headerTexts } from './record-headers.ts'

const names = ['specversion', 'id', 'type', 'source', 'subject', 'time', 'dataschema'].map((name) => `ce_${name}`)
const optionalNames = ['traceparent', 'ce_traceparent', 'ce_contenthash', 'ce_receivedtime']
const allNames = new Set([...names, ...optionalNames])

/**
 * The event as CloudEvents 1.0, Kafka protocol binding, binary mode: attributes in headers, only the data as value.
 * `dataJson` is for a caller that has the JSON of the data already.
 */
export const toRecord = (event: DomainEvent, dataJson = JSON.stringify(event.data)): OutgoingRecord => {
  const { type, id, source, subject, time, traceparent, contentHash, receivedTime } = event
  return {
    topic: topicOf(event).name,
    key: keyOf(event),
    value: dataJson,
    headers: {
      ce_specversion: '1.0',
      ce_id: id,
      ce_type: ceType(type),
      ce_source: source,
      ce_subject: subject,
      ce_time: time,
      ce_dataschema: ceDataSchema(type),
      'content-type': 'application/json',
      ...(traceparent !== undefined && { traceparent, ce_traceparent: traceparent }),
      ...(contentHash !== undefined && { ce_contenthash: contentHash }),
      ...(receivedTime !== undefined && { ce_receivedtime: receivedTime }),
    },
  }
}

const headersOf = ({ headers }: IncomingRecord): E.Either<Undecodable, ReadonlyMap<string, string>> => {
  const read = headerTexts(headers, allNames)
  if (read === undefined) return undecodable('headers', 'expected UTF-8')
  const missing = names.filter((name) => !read.has(name))
  if (missing.length > 0) return undecodable('headers', `expected ${missing.join(', ')}`)
  return read.get('ce_specversion') === '1.0' ? E.right(read) : undecodable('headers', 'ce_specversion: expected 1.0')
}

/** Decodes the event of a record of an event topic. The record may have any version; the result has the newest. */
export const recordReader = (earlier = earlierVersions) => {
  const readers = recordedTypes(earlier)
  return (record: IncomingRecord): E.Either<Undecodable, DomainEvent> => {
    const read = headersOf(record)
    if (E.isLeft(read)) return read
    const { right: headers } = read
    const known = readers.get(headers.get('ce_type') ?? '')
    if (known === undefined || !topicsOf(known.type).some(({ name }) => name === record.topic))
      return undecodable('headers', `ce_type: expected an event of ${record.topic}`)
    const json = readValue(record.value, { exact: false })
    if (E.isLeft(json)) return json
    const [lastHop, began, contentHash, receivedTime] = optionalNames.map((name) => headers.get(name))
    const traceparent = began ?? lastHop
    const data = known.upcast(json.right)
    if (E.isLeft(data)) return undecodable('contract', describe(problemsOf(data.left)))
    const decoded = known.decode({
      type: known.type,
      id: headers.get('ce_id'),
      source: headers.get('ce_source'),
      subject: headers.get('ce_subject'),
      time: headers.get('ce_time'),
      data: data.right,
      ...(traceparent !== undefined && { traceparent }),
      ...(contentHash !== undefined && { contentHash }),
      ...(receivedTime !== undefined && { receivedTime }),
    })
    return E.isRight(decoded) ? decoded : undecodable('contract', describe(problemsOf(decoded.left)))
  }
}

/** The only decoder from a record to its event: the projector, egress, rebuild and the bot kit use it. */
export const fromRecord = recordReader()

/** The group is for people: one that does not fit is left out, and the reply is sent. */
const withoutWrongGroup = (json: unknown): unknown => {
  if (!isJsonObject(json) || json.group === undefined || json.group === null || Id.is(json.group)) return json
  const { group: _, ...command } = json
  return command
}

const decodeCommand = decodeJson(BotReply)

/** Decodes a command of bot-replies. */
export const fromCommand = ({ value }: Pick<IncomingRecord, 'value'>) =>
  E.flatMap(readValue(value, { exact: true }), (json) => decodeCommand(withoutWrongGroup(json)))

const decoderOf = ({ name, content }: Topic): Decode => {
  if (name === botReplies.name) return fromCommand
  if (content.kind === 'bytes') return quarantinedRequest
  if (content.kind !== 'json') return fromRecord
  // Views are folded from topics whose records have a type. The others are decoded too, and no view reads them.
  const decode = decodeJson<Folded>(content.codec)
  return ({ value }) => E.flatMap(readValue(value, { exact: true }), decode)
}

const decoders = new Map<string, Decode>(topics.map((topic) => [topic.name, decoderOf(topic)]))

/** Decodes the records that views are folded from: events, bot-replies, operators' actions and quarantined requests. */
export const decodeRecord: Decode = (record) => (decoders.get(record.topic) ?? fromRecord)(record)
