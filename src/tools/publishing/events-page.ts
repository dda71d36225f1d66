import * as t from 'io-ts'
import { Chat, ChatMessage } from '../../../contracts/events/chat.ts'
import { DomainEvent } from '../../../contracts/events/index.ts'
import { Message } from '../../../contracts/events/message.ts'
import * as parts from '../../../contracts/events/parts.ts'
import { Geoip, Page, Session, Utm } from '../../../contracts/events/session.ts'
import { wireNameOf } from '../../../contracts/read.ts'
import { ceType, topicsOf } from '../../../contracts/topics.ts'
import { botEvents, webhookEvents } from '../../../contracts/wire-events.ts'
import { typeOf } from './catalogue.ts'
import { fieldsOf, isObjectCodec } from './codecs.ts'
import type { FieldDoc, Part, PartOf } from './json-schema.ts'

/** Where an event or part comes from: its name in the protocol, and the fields that the bridge itself fills in. */
export type WireSource = { readonly named: string; readonly own: ReadonlyArray<string> }

/** The wire event from which each event is made. The bridge itself makes the other events. */
export const sourceOfEvent: ReadonlyMap<DomainEvent['type'], WireSource> = new Map(
  [...webhookEvents, ...botEvents].map(({ type, name, own }) => [type, { named: name, own: Object.keys(own) }]),
)

/** The parts that events share, and their names in the protocol. */
export const nameOfPart: ReadonlyMap<t.Mixed, string> = new Map<t.Mixed, string>([
  [parts.Visitor, 'visitor'],
  [parts.Organization, 'organization'],
  [parts.Status, 'status'],
  [parts.AssignedAgent, 'assigned_agent'],
  [parts.Tag, 'tags'],
  [parts.Department, 'department'],
  [parts.Agent, 'agent'],
  [Geoip, 'geoip'],
  [Utm, 'utm_json'],
  [Session, 'session'],
  [Page, 'page'],
  [parts.Call, 'call'],
  [ChatMessage, 'chat message'],
  [Chat, 'chat'],
  [Message, 'Message'],
])

const units: Readonly<Record<string, string>> = { Instant: 'RFC 3339, UTC', latitude: 'degrees', longitude: 'degrees' }
const words: Readonly<Record<string, string>> = {
  Instant: 'time',
  Id: 'text, 1 to 255 characters',
  AccountId: 'text, 1 to 64 of `A-Z a-z 0-9 . _ -`',
  string: 'text',
  Count: 'whole number, 0 or more',
  boolean: 'true or false',
  Opaque: 'object or list',
  UnknownRecord: 'object',
}

const link = ({ name }: Part) => `[${name}](#${name.toLowerCase()})`

const typeText = (codec: t.Mixed, partOf: PartOf): string => {
  const [word, part] = [words[codec.name], partOf(codec)]
  if (word !== undefined) return word
  if (codec instanceof t.LiteralType) return `\`${codec.value}\``
  if (codec instanceof t.KeyofType)
    return Object.keys(codec.keys)
      .map((key) => `\`${key}\``)
      .join(', ')
  if (part !== undefined) return link(part)
  if (codec instanceof t.ArrayType) return `list of ${typeText(codec.type, partOf)}`
  if (codec instanceof t.UnionType)
    return (codec.types as ReadonlyArray<t.Mixed>).map((each) => typeText(each, partOf)).join(', ')
  if (isObjectCodec(codec)) return 'object'
  throw new Error(`the type of ${codec.name} has no description: add it to events-page.ts`)
}

const unitOf = (name: string, codec: t.Mixed) => units[codec.name] ?? units[name] ?? (name.endsWith('Ms') ? 'ms' : '')

type Row = { readonly path: string; readonly codec: t.Mixed; readonly required: boolean }

/** The fields of an object, including those of inner objects without a name of their own. */
const rowsOf = (codec: t.Mixed, partOf: PartOf, path = ''): ReadonlyArray<Row> => {
  const { required, optional } = fieldsOf(codec)
  return Object.entries({ ...required, ...optional }).flatMap(([name, field]): ReadonlyArray<Row> => {
    const inner: t.Mixed = field instanceof t.ArrayType ? field.type : field
    const row = { path: path + name, codec: field, required: name in required }
    return [
      row,
      ...(isObjectCodec(inner) && partOf(inner) === undefined ? rowsOf(inner, partOf, `${path}${name}.`) : []),
    ]
  })
}

/** The field's name in the protocol. The bridge itself makes a field that the protocol does not have. */
const wireName = (path: string, source: WireSource | undefined): string => {
  if (source === undefined) return 'the bridge'
  if (path === 'accountId') return 'the token in the path'
  if (path === 'extra') return 'every other field'
  return source.own.includes(path) ? 'the bridge' : `\`${wireNameOf(path)}\``
}

const fieldsTable = (codec: t.Mixed, source: WireSource | undefined, fieldDoc: FieldDoc, partOf: PartOf): string =>
  [
    '| field | type | unit | in the protocol | |',
    '|---|---|---|---|---|',
    ...rowsOf(codec, partOf).map(({ path, codec: field, required }) => {
      const name = path.split('.').at(-1) ?? path
      const cells = [typeText(field, partOf), unitOf(name, field), wireName(path, source), fieldDoc(path) ?? '']
      return `| \`${path}\`${required ? '' : ' (optional)'} | ${cells.join(' | ').replaceAll('\n', ' ')} |`
    }),
  ].join('\n')

/** The named parts inside a codec, at every depth, each once. */
const partsIn = (codec: t.Mixed, partOf: PartOf, found = new Map<t.Mixed, Part>()): ReadonlyMap<t.Mixed, Part> => {
  if (words[codec.name] !== undefined || found.has(codec)) return found
  const part = partOf(codec)
  if (part !== undefined && (isObjectCodec(codec) || codec instanceof t.UnionType)) found.set(codec, part)
  if (isObjectCodec(codec)) for (const { codec: field } of rowsOf(codec, partOf)) partsIn(field, partOf, found)
  if (codec instanceof t.ArrayType) partsIn(codec.type, partOf, found)
  if (codec instanceof t.UnionType)
    for (const each of codec.types as ReadonlyArray<t.Mixed>) partsIn(each, partOf, found)
  return found
}

const onTopics = (type: DomainEvent['type']): string => {
  const names = topicsOf(type).map(({ name }) => `\`${name}\``)
  return `${names.length === 1 ? 'Topic' : 'Topics'} ${names.join(', ')}`
}

const eventSection = (event: (typeof DomainEvent.types)[number], partOf: PartOf): string => {
  const [type, part] = [typeOf(event), partOf(event)]
  if (part === undefined) throw new Error(`the event ${type} is not exported by contracts/`)
  const source = sourceOfEvent.get(type)
  const made = source === undefined ? 'made by the bridge' : `from \`${source.named}\``
  return [
    `## ${type}`,
    `${part.description}\n\n${onTopics(type)}, \`ce_type\` \`${ceType(type)}\`, ${made}.`,
    fieldsTable(event.type.types[0].props.data, source, part.fieldDoc, partOf),
  ].join('\n\n')
}

const partSection = (codec: t.Mixed, part: Part, partOf: PartOf): string => {
  const named = nameOfPart.get(codec)
  const source = named === undefined ? undefined : { named, own: [] }
  const where = named === undefined ? '' : `\n\nIn the protocol: Resources, ${named}.`
  const body = isObjectCodec(codec)
    ? fieldsTable(codec, source, part.fieldDoc, partOf)
    : `One of ${typeText(codec, () => undefined)}.`
  return [`## ${part.name}`, `${part.description}${where}`, body].join('\n\n')
}

/** Every event with its fields, as Markdown: their types, units, places in the protocol, and meanings. */
export const eventsPage = (partOf: PartOf): string => {
  const parts = new Map(DomainEvent.types.flatMap((event) => [...partsIn(event.type.types[0].props.data, partOf)]))
  return `${[
    '<!-- Generated from contracts/ by `npm run contracts`: change the codecs, not this file. -->',
    '# Events',
    'The value of a record is the data of its event; the attributes are in the headers ([EventHeaders](schemas/EventHeaders.json)). Required fields are always present. An optional field is left out if the service sent null or nothing.',
    ...DomainEvent.types.map((event) => eventSection(event, partOf)),
    '# Parts',
    ...[...parts].map(([codec, part]) => partSection(codec, part, partOf)),
  ].join('\n\n')}\n`
}
