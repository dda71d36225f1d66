import { archiveNameOf, clients } from '../../../contracts/topics.ts'
import { maxDataBytes } from '../../../contracts/views/applied.ts'
import { timeline as contract, type TimelineDocument } from '../../../contracts/views/timeline.ts'
import { asPart, identity } from '../domain/identity.ts'
import type { Recorded, ViewDocument } from './document.ts'
import { aboutOf, changeWhere } from './erase.ts'
import { documentId, present } from './fields.ts'
import { asText, storable } from './free-form.ts'
import { by, where } from './indexes.ts'
import { each, eventTypes, folded } from './view.ts'

type Data = Readonly<Record<string, unknown>> & { readonly extra?: unknown } & Pick<
    TimelineDocument,
    'chatId' | 'clientId'
  >

type Identified = {
  readonly id: string
  readonly source: string
  readonly data: { readonly accountId: string } & ({ readonly chatId: string } | { readonly clientId: string })
}

/**
 * `acme/2037/bot/9661ab9c`, or `acme/client:1233/webhooks/…` for an event of a client without a chat. A ce_id is unique
 * within its source only as far as the sender cares, and a bot's id may be used in two chats. Events of one chat are in
 * one partition of a topic, so the order in which partitions are read decides nothing. A marker of an erasure has its
 * own id in each topic.
 */
export const timelineId = (event: Identified): string => {
  const { data } = event
  const whose = 'chatId' in data ? asPart(data.chatId) : `client:${asPart(data.clientId)}`
  return storable(`${data.accountId}/${whose}/${identity(event)}`)
}

/**
 * The entry of an event. It is written once: the first record of an event stays, and repetitions change nothing. Takes
 * the event unchanged, so that `extra` keeps its field names. The entry of a large event has no data, only the position
 * of the record. `isStorable` is true if the whole event is known to be storable.
 */
export const evolveTimeline = (
  current: TimelineDocument | undefined,
  recorded: Recorded,
  isStorable = false,
): TimelineDocument => {
  if (current !== undefined) return current
  const { event, topic, partition, offset, bytes = 0, beforeErasure } = recorded
  const { extra, ...rest }: Data = event.data
  const data = isStorable ? rest : storable(rest)
  return {
    _id: timelineId(event),
    accountId: event.data.accountId,
    type: event.type,
    time: event.time,
    topic,
    partition,
    offset,
    ...present(data, 'chatId', 'clientId'),
    ...(event.receivedTime !== undefined && { late: true as const }),
    ...(beforeErasure && { erased: true as const }),
    ...(beforeErasure === undefined &&
      bytes <= maxDataBytes && { data, ...(extra !== undefined && { extra: asText(extra) }) }),
  }
}

const isMarker = ({ type }: { readonly type?: unknown }) => type === 'ChatErased' || type === 'ClientErased'

/** An entry keeps its record's position, its type and its time. Markers stay unchanged: they have no personal data. */
const emptiedEntry =
  ({ topic, partition, offset }: Recorded) =>
  (document: ViewDocument): ViewDocument => {
    const current = document as TimelineDocument
    const isEarlier = current.topic === topic && current.partition === partition && current.offset < offset
    const isBefore = isEarlier || current.topic === archiveNameOf(topic)
    if (!isBefore || isMarker(current) || current.erased) return current
    const { data, extra, ...rest } = current
    return { ...rest, erased: true } as TimelineDocument
  }

export const timeline = folded(contract, {
  isWrittenOnce: true,
  folds: each(eventTypes, {
    at: ({ event }) => timelineId(event),
    next: (current: TimelineDocument | undefined, { event, unconverted }) => [
      evolveTimeline(current, unconverted, event === unconverted.event),
    ],
  }),
  erasure: () => ({
    changes: (view, marker) => {
      const { topic, fields } = aboutOf(marker)
      const id = documentId(marker.event)
      return [topic, archiveNameOf(topic)].map((of) =>
        changeWhere(view, id, { ...fields, topic: of }, emptiedEntry(marker)),
      )
    },
    holds: (document) => !isMarker(document) && (document.data !== undefined || document.extra !== undefined),
    isNewer: ({ topic, partition, offset }, markers) =>
      markers.some(
        (marker) => marker.topic === topic && marker.partition === partition && marker.offset < Number(offset),
      ),
    emptied: ({ data: _data, extra: _extra, ...rest }) => ({ ...rest, erased: true }),
  }),
  indexes: [by('chatId', 'time', 'offset'), by('time'), where('clientId', 'time'), where('data.erasureId')],
  person: {
    documents: [
      { field: 'chatId' },
      { field: 'clientId', where: { topic: { $in: [clients.name, archiveNameOf(clients.name)] } } },
    ],
  },
})
