import type { ViewName, Views } from '../../contracts/views.ts'
import type { Change } from '../domain/ports.ts'
import type { Group } from './settle.ts'

type AnyDocument = Views[ViewName]

/** The collection in which a view's documents are. */
export type CollectionOf = (view: ViewName) => string

/** One group for each document, with its changes in their order. */
export const groupsOf = (
  changes: ReadonlyArray<Change>,
  collectionOf: CollectionOf = (view) => view,
): ReadonlyArray<Group<AnyDocument>> => {
  const byDocument = Map.groupBy(changes, ({ view, id }) => `${view}/${id}`)
  return [...byDocument.values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [
          {
            collection: collectionOf(first.view),
            id: first.id,
            evolve: (current: AnyDocument | undefined) =>
              others.reduce<AnyDocument>((document, { evolve }) => evolve(document), first.evolve(current)),
          },
        ],
  )
}

/** Pieces of at most so many, in order. */
export const chunks = <A>(items: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))
