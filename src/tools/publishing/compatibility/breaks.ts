import { EventHeaders } from '../../../../contracts/records.ts'
import type { Direction } from '../catalogue.ts'
import type { PublishedTopic } from '../files.ts'
import type { Schema } from '../schema.ts'
import { type Difference, differences, type Effect } from './differences.ts'

/** A breaking change: its path (`visitor.name`, `tags[].id`; '' is the whole), the change, and whom it breaks. */
export type Break = { readonly schema: string; readonly path: string; readonly change: string; readonly breaks: string }

const newReaders = 'new readers: old values do not fit'
const oldReaders = 'old readers: new values do not fit'
const everybody = 'every reader and writer'

const breaksOf: Readonly<Record<Direction, Partial<Record<Effect, string>>>> = {
  event: { narrowed: newReaders, widened: oldReaders, changed: everybody, lost: everybody },
  received: { narrowed: 'its writers: what they send is refused', changed: everybody, lost: everybody },
  given: { widened: oldReaders, changed: everybody, lost: everybody },
}

/** The headers that name the type of an event and its schema. */
const typeNames = new Set(['ce_type', 'ce_dataschema'])

/** A topic may carry more types of events, because readers ignore types that they do not know. */
const isNewType = (schema: string, { path, effect }: Difference): boolean =>
  schema === EventHeaders.name && typeNames.has(path) && effect === 'widened'

/**
 * The breaking changes from one release of the schemas, by name, to another. Empty if the release may be published.
 *
 * The rule. Within a version, an event's schema is backward and forward compatible. Old records are kept permanently,
 * so new readers must understand them, and readers that were not updated must understand new records. That leaves one
 * change of the shape: a new optional field whose absence means what it always meant. No field is removed, changes its
 * type or bounds, or becomes required or optional. No value of an enumeration is added or removed. Any other change
 * needs a new version: a new schema beside the old one, with a new `ce_type`. Old records are upcast when they are
 * read.
 *
 * What others write and the bridge reads (`received`: commands, enrichments, requests) may be widened: a required field
 * may become optional, a value may be added. What the bridge writes and others read without history (`given`:
 * responses, documents, headers) may be narrowed: an optional field may become always present, a value may become
 * unused. A new type of event is a new value of two headers, and breaks nobody. A published schema is never removed.
 * Descriptions and titles may change at any time.
 */
export const breakingChanges = (
  before: ReadonlyMap<string, Schema>,
  after: ReadonlyMap<string, Schema>,
  directionOf: (schema: string) => Direction,
): ReadonlyArray<Break> =>
  [...before].flatMap(([schema, old]): ReadonlyArray<Break> => {
    const now = after.get(schema)
    if (now === undefined) return [{ schema, path: '', change: 'schema removed', breaks: everybody }]
    return differences(old, now)
      .filter((difference) => !isNewType(schema, difference))
      .flatMap(({ path, change, effect }) => {
        const breaks = breaksOf[directionOf(schema)][effect]
        return breaks === undefined ? [] : [{ schema, path, change, breaks }]
      })
  })

type Topics = ReadonlyMap<string, PublishedTopic>

const kept = ({ keptMs }: PublishedTopic) => (keptMs === null ? 'permanently' : `for ${keptMs} ms`)
const longest = ({ keptMs }: PublishedTopic) => keptMs ?? Number.POSITIVE_INFINITY

const changesOf = (before: PublishedTopic, after: PublishedTopic): ReadonlyArray<string> => [
  ...(before.key === after.key ? [] : [`key changed from ${before.key} to ${after.key}`]),
  ...(before.compacted === after.compacted ? [] : [after.compacted ? 'is compacted now' : 'is no longer compacted']),
  ...(longest(after) >= longest(before) ? [] : [`kept ${kept(after)} instead of ${kept(before)}`]),
  ...before.schemas.filter((name) => !after.schemas.includes(name)).map((name) => `no longer carries ${name}`),
]

/**
 * The changes that break readers or writers of a topic. Its key guarantees the order, and its clean-up decides what a
 * late reader still finds. It may carry more, because readers ignore what they do not know.
 */
export const topicBreaks = (before: Topics, after: Topics): ReadonlyArray<Break> =>
  [...before].flatMap(([name, topic]) => {
    const now = after.get(name)
    const changes = now === undefined ? ['topic removed'] : changesOf(topic, now)
    return changes.map((change) => ({ schema: `topic ${name}`, path: '', change, breaks: everybody }))
  })
