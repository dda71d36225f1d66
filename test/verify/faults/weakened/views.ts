import * as E from 'fp-ts/lib/Either.js'
import { botReplies } from '../../../../contracts/topics.ts'
import { maxSeen } from '../../../../contracts/views/applied.ts'
import type { ViewDocument } from '../../../../src/bridge/views/document.ts'
import { instead } from './instead.ts'

/** The fields of a document that guard it (src/bridge/views/applied.ts). Not every document has them. */
type Guarded = ViewDocument & {
  readonly applied?: Readonly<Record<string, number>>
  readonly seen?: ReadonlyArray<string>
  readonly contentHash?: string
}

/** All changes of a record, with a weaker fold of each document that exists and has seen events. */
const folding = (
  evolve: (
    current: Guarded & { readonly seen: ReadonlyArray<string> },
    evolve: (current: Guarded) => ReadonlyArray<Guarded>,
    place: string,
  ) => ReadonlyArray<Guarded>,
) =>
  instead(
    () => import('../../../../src/bridge/views/changes.ts'),
    ({ changesOf }) => ({
      changesOf: (record, decoded) =>
        changesOf(record, decoded).map((change) => ({
          ...change,
          evolve: (current: Guarded | undefined) =>
            current?.seen === undefined
              ? change.evolve(current)
              : evolve({ ...current, seen: current.seen }, change.evolve, `${record.topic}/${record.partition}`),
        })),
    }),
  )

/** The event that a fold has added to those that a document has seen. */
const addedTo = (seen: ReadonlyArray<string>, after: Guarded | undefined): ReadonlyArray<string> => {
  const last = after?.seen?.at(-1)
  return last === undefined || last === seen.at(-1) ? [] : [last]
}

export const views = {
  'acknowledgement by a majority': [
    instead(
      () => import('../../../../src/bridge/mongo/connect.ts'),
      ({ connectMongo }) => ({
        connectMongo: (location) => {
          const { databaseWith, ...connection } = connectMongo(location)
          const weaker = { writeConcern: { w: 1, wtimeoutMS: 5_000 } }
          const db = databaseWith(weaker)
          return {
            ...connection,
            query: (queryIn) => queryIn(db),
            databaseWith: (options) => databaseWith({ ...options, ...weaker }),
          }
        },
      }),
    ),
  ],
  'documents are read as a majority has them': [
    instead(
      () => import('../../../../src/bridge/mongo/store.ts'),
      ({ readPresent }) => ({ readPresent: (db) => readPresent(db, 'local') }),
    ),
  ],
  'an outage is told from a fault of the message': [
    instead(
      () => import('../../../../src/bridge/views/projector.ts'),
      ({ projector }) => ({
        projector: (deps) =>
          projector({ ...deps, classify: (error) => ({ ...deps.classify(error), kind: 'permanent' }) }),
      }),
    ),
  ],
  'the offsets in each document': [
    folding((current, evolve, place) => {
      const { applied: { [place]: _, ...applied } = {}, seen } = current
      // An event counts again, as the last of those that were seen.
      const [after, ...others] = evolve({ ...current, applied, seen: [] })
      return after === undefined
        ? []
        : [{ ...after, seen: [...seen, ...(after.seen ?? [])].slice(-maxSeen) }, ...others]
    }),
  ],
  'a repetition is known by its content': [folding(({ contentHash: _, ...current }, evolve) => evolve(current))],
  'what is read is folded early where the heap is nearly full': [
    instead(
      () => import('../../../../src/bridge/views/projector.ts'),
      ({ projector }) => ({ projector: (deps) => projector({ ...deps, hasRoom: () => true }) }),
    ),
  ],
  'a document forgets its oldest events': [
    folding((current, evolve) => {
      const newest = { ...current, seen: current.seen.slice(-maxSeen) }
      const [after, ...others] = evolve(newest)
      if (after === newest || after === undefined) return [current]
      return [{ ...after, seen: [...current.seen, ...addedTo(newest.seen, after)] }, ...others]
    }),
  ],
  'dead letters': [
    instead(
      () => import('../../../../src/bridge/views/projector.ts'),
      ({ projector }) => ({
        projector: (deps) =>
          projector({
            ...deps,
            decode: (record) => {
              const decoded = deps.decode(record)
              if (E.isLeft(decoded) && record.topic !== botReplies.name) throw new Error('cannot be read')
              return decoded
            },
          }),
      }),
    ),
  ],
  'documents below 16 MiB': [
    instead(
      () => import('../../../../src/bridge/views/changes.ts'),
      // The size of a record's value decides what a document may have of it.
      ({ changesOf }) => ({ changesOf: (record, decoded) => changesOf({ ...record, value: null }, decoded) }),
    ),
  ],
}
