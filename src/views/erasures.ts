import { isDeepStrictEqual } from 'node:util'
import type { ErasureEvent } from '../../contracts/events/index.ts'
import { archiveNameOf, type EventTopic } from '../../contracts/topics.ts'
import type { Dated } from '../../contracts/views/dated.ts'
import type { ViewName, Views } from '../../contracts/views.ts'
import * as views from '../../contracts/views.ts'
import { type Marks, marksOf, withoutPersonal } from '../domain/personal-data.ts'
import type { Change, Recorded } from '../domain/ports.ts'
import { advance } from './applied.ts'
import { settled } from './conversations.ts'
import { documentId } from './fields.ts'
import { settledSession } from './sessions-bot.ts'

/** By topic, the views whose documents a marker empties of personal data. It always empties timeline as well. */
const emptiedBy = {
  chats: ['chats', 'sessions'],
  calls: ['calls'],
  clients: ['clients'],
  'offline-messages': ['offline_messages'],
  'bot-conversations': ['conversations', 'deliveries', 'sessions'],
} as const satisfies Record<EventTopic['name'], ReadonlyArray<ViewName>>

type EmptiedView = (typeof emptiedBy)[EventTopic['name']][number]

const marks: { readonly [V in EmptiedView]: Marks } = {
  chats: marksOf(views.ChatDocument),
  calls: marksOf(views.CallDocument),
  clients: marksOf(views.ClientDocument),
  offline_messages: marksOf(views.OfflineMessageDocument),
  conversations: marksOf(views.ConversationDocument),
  deliveries: marksOf(views.DeliveryDocument),
  sessions: marksOf(views.SessionDocument),
}

/** Views with many documents for one chat. They are found by the chat's id. */
const isOfMany = (view: EmptiedView) => view === 'offline_messages' || view === 'deliveries' || view === 'sessions'

type Emptied<V extends ViewName> = (current: Views[V]) => Views[V]

/** An emptied document of a client who waited for an answer: nobody waits any more. */
const settledAfter = <V extends EmptiedView>(view: V, document: Views[V]): Views[V] => {
  if (view === 'conversations') return settled(document as Views['conversations']) as Views[V]
  return view === 'sessions' ? (settledSession(document as Views['sessions']) as Views[V]) : document
}

/**
 * Empties only documents that records before the marker made, in the marker's own partition. Other partitions have
 * their own markers. Counts, times, states and ids stay. A later event with the same content is not a repetition,
 * because that content is gone.
 */
const emptied =
  <V extends EmptiedView>(view: V, recorded: Recorded): Emptied<V> =>
  (current) => {
    const { topic, partition } = recorded
    // A rebuild names the archive as the source of records from before the topic was deleted and created again.
    const isOlder = Object.keys(current.applied).some((each) => each.startsWith(`${archiveNameOf(topic)}/`))
    if (current.applied[`${topic}/${partition}`] === undefined && !isOlder) return current
    const applied = advance(current.applied, recorded)
    if (applied === undefined) return current
    const { contentHash, ...rest } = withoutPersonal(marks[view], current)
    return settledAfter(view, { ...rest, applied, erased: true } as Views[V])
  }

/** Whether a document has personal data. False for documents of views without personal data. */
export const hasPersonalData = (view: string, document: Readonly<Record<string, unknown>>): boolean => {
  if (view === 'timeline') return !isMarker(document) && (document.data !== undefined || document.extra !== undefined)
  const known = Object.entries(marks).find(([name]) => name === view)?.[1]
  return known !== undefined && !isDeepStrictEqual(withoutPersonal(known, document), document)
}

const isMarker = ({ type }: { readonly type?: unknown }) => type === 'ChatErased' || type === 'ClientErased'

/** An entry keeps its record's position, its type and its time. Markers stay unchanged: they have no personal data. */
const emptiedEntry =
  ({ topic, partition, offset }: Recorded): Emptied<'timeline'> =>
  (current) => {
    const isEarlier = current.topic === topic && current.partition === partition && current.offset < offset
    const isBefore = isEarlier || current.topic === archiveNameOf(topic)
    if (!isBefore || isMarker(current) || current.erased) return current
    const { data, extra, ...rest } = current
    return { ...rest, erased: true }
  }

const change = <V extends ViewName>(
  view: V,
  id: string,
  where: Change['where'] & object,
  empty: Emptied<V>,
): Change => ({
  view,
  id,
  where,
  evolve: (current) => {
    // A newly elected primary shows the document to reads at `majority` a little later. The slice is redelivered.
    if (current === undefined)
      throw new Error('a document was found but majority reads do not show it yet; it will be retried')
    return [empty(current as Views[V])]
  },
})

/** The changes that a marker of an erasure makes to the views. A repeated marker erases again. */
export const erasuresOf = (event: Dated<ErasureEvent>, recorded: Recorded): ReadonlyArray<Change> => {
  const { accountId } = event.data
  const id = documentId(event)
  const whose = event.type === 'ClientErased' ? { clientId: event.subject } : { chatId: event.subject }
  const topic = event.type === 'ClientErased' ? 'clients' : event.data.topic
  return [
    ...emptiedBy[topic].map((view) =>
      change(view, id, isOfMany(view) ? { accountId, ...whose } : { _id: id }, emptied(view, recorded)),
    ),
    ...[topic, archiveNameOf(topic)].map((of) =>
      change('timeline', id, { accountId, ...whose, topic: of }, emptiedEntry(recorded)),
    ),
  ]
}
