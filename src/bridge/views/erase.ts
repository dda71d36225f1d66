import { isDeepStrictEqual } from 'node:util'
import type * as t from 'io-ts'
import type { ClientErased, ErasureEvent } from '../../../contracts/events/index.ts'
import { archiveNameOf, type EventTopicName } from '../../../contracts/topics.ts'
import { partitionName } from '../domain/log/record.ts'
import { marksOf, withoutPersonal } from '../domain/person/personal-data.ts'
import { advance, type Guard } from './applied.ts'
import type { Change, Recorded, ViewDocument } from './document.ts'
import { documentId } from './fields.ts'

/** The changes that a marker of an erasure makes to a view. A repeated marker erases again. */
export type ChangesOfMarker = (view: string, marker: Recorded<ErasureEvent>) => ReadonlyArray<Change>

type AnyDocument = Readonly<Record<string, unknown>>

/** Where a marker is in the log. */
export type PlaceOfMarker = { readonly topic: string; readonly partition: number; readonly offset: number }

/**
 * What an erasure does to a view. `holds`: whether a document has personal data. `emptied`: a document without it, as
 * it was in everything else, so that later records are folded onto it as before.
 */
export type Erasure = {
  readonly changes: ChangesOfMarker
  readonly holds: (document: AnyDocument) => boolean
  /** Whether a document that has personal data has it from records after all of these markers, which are about it. */
  readonly isNewer: (document: AnyDocument, markers: ReadonlyArray<PlaceOfMarker>) => boolean
  readonly emptied: (document: AnyDocument) => AnyDocument
}

/** What an erasure does to a view with documents of this codec, of which a chat or client has only one if `key` is set. */
export type ErasureOf = (view: { readonly document: t.Mixed; readonly key?: 'chatId' | 'clientId' }) => Erasure

/** For views without personal data. */
export const never: ErasureOf = () => ({
  changes: () => [],
  holds: () => false,
  isNewer: () => false,
  emptied: (document) => document,
})

/** Whom a marker is about, as fields of documents, and the topic whose records it erases. */
export const aboutOf = ({ event }: Recorded<ErasureEvent>) => {
  const isOfClient = (marker: typeof event): marker is Recorded<ClientErased>['event'] => marker.type === 'ClientErased'
  const { accountId } = event.data
  const topic: EventTopicName = isOfClient(event) ? 'clients' : event.data.topic
  return { topic, fields: { accountId, [isOfClient(event) ? 'clientId' : 'chatId']: `${event.subject}` } }
}

/** A change of every document with these fields. */
export const changeWhere = (
  view: string,
  id: string,
  where: Change['where'] & object,
  empty: (current: ViewDocument) => ViewDocument,
): Change => ({
  view,
  id,
  where,
  evolve: (current) => {
    // A newly elected primary shows the document to reads at `majority` a little later. The slice is redelivered.
    if (current === undefined)
      throw new Error('a document was found but majority reads do not show it yet; it will be retried')
    return [empty(current)]
  },
})

/**
 * Whether a document has read all of these markers, and something after one of them. What the bridge received before the
 * request and reads after the markers has nothing personal. Of what is read from the archive this cannot be known.
 */
const isAfter = ({ applied }: Pick<Guard, 'applied'>, markers: ReadonlyArray<PlaceOfMarker>): boolean => {
  const read = markers.flatMap((marker) => {
    const last = applied[partitionName(marker)]
    return last === undefined ? [] : [last - marker.offset]
  })
  const isOfArchive = markers.some(({ topic }) => hasReadArchive(applied, topic))
  return !isOfArchive && read.every((after) => after >= 0) && read.some((after) => after > 0)
}

/** A rebuild names the archive as the source of records from before the topic was deleted and created again. */
const hasReadArchive = (applied: Guard['applied'], topic: string): boolean =>
  Object.keys(applied).some((each) => each.startsWith(`${archiveNameOf(topic)}/`))

type EmptiedDocument = ViewDocument & Pick<Guard, 'applied' | 'contentHash'>

/**
 * Empties documents of everything that their codec marks as personal. Only of what records before the marker made, in
 * the marker's own partition; other partitions have their own markers. Counts, times, states and ids stay. A later
 * event with the same content is not a repetition, because that content is gone. `settled` changes what a document says
 * beside personal data.
 */
export const byMarks =
  <D extends ViewDocument = ViewDocument>(settled: (document: D) => ViewDocument = (document) => document): ErasureOf =>
  ({ document: codec, key }) => {
    const marks = marksOf(codec)
    const emptiedBy =
      (recorded: Recorded) =>
      (document: ViewDocument): ViewDocument => {
        const current = document as EmptiedDocument
        const { topic } = recorded
        if (current.applied[partitionName(recorded)] === undefined && !hasReadArchive(current.applied, topic))
          return current
        const applied = advance(current.applied, recorded)
        if (applied === undefined) return current
        const { contentHash: _, ...rest } = withoutPersonal(marks, current)
        return settled({ ...rest, applied, erased: true } as unknown as D)
      }
    return {
      changes: (view, marker) => {
        const id = documentId(marker.event)
        return [changeWhere(view, id, key === undefined ? aboutOf(marker).fields : { _id: id }, emptiedBy(marker))]
      },
      holds: (document) => !isDeepStrictEqual(withoutPersonal(marks, document), document),
      isNewer: (document, markers) => isAfter(document as EmptiedDocument, markers),
      emptied: (document) => withoutPersonal(marks, document),
    }
  }
