import type * as t from 'io-ts'
import { DomainEvent } from '../../contracts/events/index.ts'
import { ceType } from '../../contracts/topics.ts'
import type { TimelineDocument } from '../../contracts/views/timeline.ts'
import { type Marks, marksByType, marksOf, withoutPersonal } from '../bridge/domain/person/personal-data.ts'
import { isJsonObject, type JsonObject } from '../bridge/shared/json.ts'
import { notes, type Shown, type StoryEvent } from './documents.ts'

/** The same value with its dates as RFC 3339 text. */
const withTexts = (value: unknown): unknown => {
  if (value instanceof Date) return value.toJSON()
  if (Array.isArray(value)) return value.map(withTexts)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withTexts(field)]))
}

/** `masked`: without personal leaves. `clear`: complete, for a session that may see personal data. */
export type Sight = 'masked' | 'clear'

const visible = (marks: Marks, document: object, sight: Sight): JsonObject =>
  withTexts(sight === 'clear' ? document : withoutPersonal(marks, document)) as JsonObject

/** Turns a document of a view, or a part of one, into its form in responses. */
export const documentAnswer = <D extends object>(codec: t.Type<D, unknown>) => {
  const marks = marksOf(codec)
  return <Part extends Partial<D>>(document: Part, sight: Sight): Shown<Part> => {
    const answer = visible(marks, document, sight)
    for (const note of notes) delete answer[note]
    return answer as Shown<Part>
  }
}

const marksByName: ReadonlyMap<string, Marks> = new Map(
  DomainEvent.types.map(({ name }) => [name, marksByType.get(ceType(name as DomainEvent['type'])) ?? 'personal']),
)

/** Marks of an unknown event: no field of it is shown. */
const nothingKnown: Marks = { fields: new Map() }

/** Turns an entry of timeline into its form in responses. */
export const storyEvent = (entry: TimelineDocument, sight: Sight): StoryEvent => {
  const { _id: id, type, time, topic, partition, offset, data, extra, erased } = entry
  return {
    id,
    type,
    time: new Date(time).toISOString(),
    topic,
    partition,
    offset,
    data: visible(marksByName.get(type) ?? nothingKnown, data ?? {}, sight),
    ...(extra !== undefined && sight === 'clear' && { extra }),
    // An erased event has no data either, but is not `omitted`.
    ...(erased ? { erased } : data === undefined && { omitted: true }),
  }
}
