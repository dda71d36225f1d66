import { CloudEvent, Kafka } from 'cloudevents'
import * as E from 'fp-ts/lib/Either.js'
import { DomainEvent } from '../../contracts/events/index.ts'
import { recordedTypes } from '../../contracts/events/upcast.ts'
import { earlierVersions } from '../../contracts/events/versions.ts'
import { describe, problemsOf } from '../../contracts/problem.ts'
import { ceDataSchema, ceType, keyOf, topicOf } from '../../contracts/topics.ts'
import type { IncomingRecord, OutgoingRecord } from '../domain/ports.ts'
import { readJson, type Undecodable, undecodable } from './json.ts'

const attributes = ['specversion', 'id', 'type', 'source', 'subject', 'time', 'dataschema'] as const
const names = attributes.map((attribute) => `ce_${attribute}`)
const optionalNames = ['traceparent', 'ce_contenthash']
const contentType = 'application/json'

// A codec of the union is named for its event's type.
const types = DomainEvent.types.map(({ name }) => name as DomainEvent['type'])

/** A type's headers as the package makes them, once: to make them for each event costs more than all else of a record. */
const template = (type: DomainEvent['type']): Readonly<Record<string, string>> => {
  const [id, source, subject, time] = ['id', 'source', 'subject', new Date(0).toISOString()]
  const { headers } = Kafka.binary(
    // Not strict: what is put in is checked by the event's own codec.
    new CloudEvent(
      { id, source, subject, time, type: ceType(type), dataschema: ceDataSchema(type), datacontenttype: contentType },
      false,
    ),
  )
  return Object.fromEntries([...names, 'content-type'].map((name) => [name, String(headers[name])]))
}
const templates = new Map(types.map((type) => [type, template(type)]))

/** The event as CloudEvents 1.0, Kafka protocol binding, binary mode: its attributes are headers, the value is its data alone. */
export const toRecord = (event: DomainEvent): OutgoingRecord => {
  const { type, id, source, subject, time, data, traceparent, contentHash } = event
  return {
    topic: topicOf(event).name,
    key: keyOf(event),
    value: JSON.stringify(data),
    headers: {
      ...templates.get(type),
      ce_id: id,
      ce_source: source,
      ce_subject: subject,
      ce_time: time,
      ...(traceparent !== undefined && { traceparent }),
      ...(contentHash !== undefined && { ce_contenthash: contentHash }),
    },
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

const headersOf = ({ headers }: IncomingRecord): E.Either<Undecodable, ReadonlyMap<string, string>> => {
  const wanted = [...names, ...optionalNames].flatMap((name) => (headers[name] ? [[name, headers[name]] as const] : []))
  const read = E.tryCatch(
    () => new Map(wanted.map(([name, bytes]) => [name, utf8.decode(bytes)])),
    () => undefined,
  )
  if (E.isLeft(read)) return undecodable('headers', 'expected UTF-8')
  const missing = names.filter((name) => !read.right.has(name))
  if (missing.length > 0) return undecodable('headers', `expected ${missing.join(', ')}`)
  return read.right.get('ce_specversion') === '1.0' ? read : undecodable('headers', 'ce_specversion: expected 1.0')
}

/** The event of a record of an event topic, which may be of any version that the event ever had: it is read as the newest. */
export const eventReader = (earlier = earlierVersions) => {
  const readers = recordedTypes(earlier)
  return (record: IncomingRecord): E.Either<Undecodable, DomainEvent> => {
    const read = headersOf(record)
    if (E.isLeft(read)) return read
    const { right: headers } = read
    const known = readers.get(headers.get('ce_type') ?? '')
    if (known === undefined || topicOf(known).name !== record.topic)
      return undecodable('headers', `ce_type: expected an event of ${record.topic}`)
    const json = readJson(record.value, { exact: false })
    if (E.isLeft(json)) return json
    const [traceparent, contentHash] = optionalNames.map((name) => headers.get(name))
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
    })
    return E.isRight(decoded) ? decoded : undecodable('contract', describe(problemsOf(decoded.left)))
  }
}

/** The one way from a record to its event: the projector, egress, rebuild and the bot kit read with it. */
export const fromRecord = eventReader()
