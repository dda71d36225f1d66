import type * as t from 'io-ts'
import type { TopicName } from '../../../contracts/topics.ts'
import { audit } from './audit.ts'
import { calls } from './calls.ts'
import { chats } from './chats.ts'
import { clients } from './clients.ts'
import { conversations } from './conversations.ts'
import { dailyStatistics } from './daily-stats.ts'
import { deliveries } from './deliveries.ts'
import { drift } from './drift.ts'
import type { PlaceOfMarker } from './erase.ts'
import { offlineMessages } from './offline-messages.ts'
import { sessions } from './sessions.ts'
import { timeline } from './timeline.ts'
import { audited } from './transcript-audit.ts'

/** The only place that names the views. Everything else is derived from this list. */
export const foldedViews = [
  chats,
  calls,
  clients,
  offlineMessages,
  conversations,
  deliveries,
  sessions,
  timeline,
  audit,
  drift,
] as const

const computedViews = [dailyStatistics] as const

type Contracts = (typeof foldedViews)[number] | (typeof computedViews)[number]['outputs'][number]

/** The collections that analysts query, with the type of their documents. */
export type Views = { readonly [C in Contracts as C['name']]: t.TypeOf<C['document']> }
export type ViewName = keyof Views
/** Reads one document of a view. */
export type ReadView = <V extends ViewName>(view: V, id: string) => Promise<Views[V] | undefined>

const contracts: ReadonlyArray<Contracts> = [...foldedViews, ...computedViews.flatMap(({ outputs }) => outputs)]

const byName = new Map(contracts.map((contract) => [contract.name as string, contract]))
const foldedByName = new Map(foldedViews.map((view) => [view.name as string, view]))

/** A view by the name of its collection. Throws on another name: names come from the list or are checked with it. */
export const contractOf = (name: string): Contracts => {
  const contract = byName.get(name)
  if (contract === undefined) throw new Error(`${name} is no view`)
  return contract
}

/** The view of this name, if it is folded from records. */
export const foldedOfName = (name: string): (typeof foldedViews)[number] | undefined => foldedByName.get(name)

export const viewNames: ReadonlyArray<ViewName> = contracts.map(({ name }) => name)

/** The codecs of the documents, in the order of the list. */
export const documentCodecs: ReadonlyArray<t.Mixed> = contracts.map(({ document }) => document)

/** The topics that the views are folded from; none for computed views. */
export const topicsOfViews = (views: ReadonlyArray<string>): ReadonlyArray<TopicName> => [
  ...new Set(views.flatMap((name) => foldedOfName(name)?.topics ?? [])),
]

/** Those of the views that are folded from topics. */
export const foldedOf = (views: ReadonlyArray<ViewName>): ReadonlyArray<ViewName> =>
  views.filter((name) => foldedByName.has(name))

/** Whether a view is computed from others. */
export const isComputed = (view: string): boolean => !foldedByName.has(view)

/** Whether computed views may change when these views change. */
export const changesStats = (views: ReadonlyArray<string>): boolean =>
  views.some((view) => isComputed(view) || computedViews.some(({ from }) => Object.hasOwn(from, view)))

/** Whether a document has personal data. False for documents of views without personal data. */
export const hasPersonalData = (view: string, document: Readonly<Record<string, unknown>>): boolean =>
  foldedOfName(view)?.erasure.holds(document) ?? false

/** The entry of a marker of an erasure: whom it is about, and where it is in the log. */
type Marker = PlaceOfMarker & Pick<Views['timeline'], 'type' | 'chatId' | 'clientId'>

/** Whether the personal data of a document came after the markers about its chat and its client. */
export const isNewerThan = (
  markers: ReadonlyArray<Marker>,
  view: string,
  document: Readonly<Record<string, unknown>>,
): boolean =>
  foldedOfName(view)?.erasure.isNewer(
    document,
    markers.filter(({ type, chatId, clientId }) =>
      type === 'ChatErased' ? chatId === document.chatId : clientId === document.clientId,
    ),
  ) ?? false

/** A document without personal data, as it was in everything else. */
export const documentWithoutPersonalData = (
  view: string,
  document: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => foldedOfName(view)?.erasure.emptied(document) ?? document

/** The view whose documents a collection may have that is named after it, such as `chats__rebuild_1` or `chats_old`. */
export const viewOfCopy = (collection: string): ViewName | undefined =>
  viewNames
    .filter((view) => new RegExp(`^${view}[^a-z]`, 'i').test(collection) && !byName.has(collection))
    .toSorted((a, b) => b.length - a.length)[0]

/** The codec of the documents in a collection: of a view, or of a copy of one. Undefined for every other collection. */
export const documentCodecOf = (collection: string): t.Mixed | undefined =>
  byName.get(viewOfCopy(collection) ?? collection)?.document

/** Those of the views that a dry run compares: views that are computed together are compared together. */
export const comparedViews = (views: ReadonlyArray<ViewName>): ReadonlyArray<ViewName> =>
  views.filter((view) => {
    const outputs: ReadonlyArray<string> =
      computedViews.map((each) => each.outputs.map(({ name }): string => name)).find((names) => names.includes(view)) ??
      []
    const [first] = outputs
    return first === undefined || first === view || !views.some((other) => other === first)
  })

/** Whether audits are made from documents of this view, so that they are due again when it is replaced. */
export const changesAudits = (view: string): boolean => view === audited.from.view

/** Whether a live document may have been folded from records that its topics have deleted since. */
export const countsDeletedRecords = (view: string, document: Readonly<Record<string, unknown>>, now: number): boolean =>
  foldedOfName(view)?.countsDeleted?.(document, now) ?? false

/** The document that counts what this document's account has no room for; undefined if the view has room for all. */
export const overflowOf = (view: string, id: string): string | undefined => foldedOfName(view)?.overflowOf?.(id)

/** Whether a rebuild keeps the documents of this view that its topic no longer has. */
export const isForEver = (view: string): boolean => foldedOfName(view)?.isForEver ?? false

/** The view with a document for each event. */
export const entriesView = timeline.name
