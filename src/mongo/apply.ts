import type { ViewName, Views } from '../../contracts/views.ts'
import type { ApplyChanges, Change } from '../domain/ports.ts'
import { chunks } from '../shared/slices.ts'
import { allDone, type Group } from './optimistic-update.ts'

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

const documentsAtOnce = 1_000
const atOnce = 3

/**
 * Applies changes, one write for each document, a thousand documents at a time and a few such writes beside each other; to the live
 * views unless others are named.
 */
export const applyWith =
  (
    updateDocuments: (groups: ReadonlyArray<Group<AnyDocument>>) => Promise<void>,
    collectionOf?: CollectionOf,
  ): ApplyChanges =>
  async (changes) => {
    const left = chunks(groupsOf(changes, collectionOf), documentsAtOnce).values()
    let failed = false
    const run = async () => {
      for (const some of left) {
        if (failed) return
        await updateDocuments(some).catch((error: unknown) => {
          failed = true
          throw error
        })
      }
    }
    await allDone(Array.from({ length: atOnce }, run))
  }
