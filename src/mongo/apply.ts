import type { ViewName, Views } from '../../contracts/views.ts'
import type { ApplyChanges, Change } from '../domain/ports.ts'
import { serial } from '../shared/serial.ts'
import { chunks } from '../shared/slices.ts'
import type { ChooseDrift } from './drift.ts'
import { allDone, type Group } from './optimistic-update.ts'
import type { IdsWhere } from './store.ts'

type AnyDocument = Views[ViewName]

/** The name of the collection that has a view's documents. */
export type CollectionOf = (view: ViewName) => string

/** The documents that the changes of one document make, the newest last. */
const evolvedBy =
  (changes: ReadonlyArray<Change>) =>
  (current: AnyDocument | undefined): ReadonlyArray<AnyDocument> =>
    changes.reduce<ReadonlyArray<AnyDocument>>(
      (documents, { evolve }) => [...documents.slice(0, -1), ...evolve(documents.at(-1))],
      current === undefined ? [] : [current],
    )

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
            ...(first.view === 'sessions' &&
              first.where === undefined && {
                by: 'latestOf' as const,
                repeats: (current: AnyDocument) => first.evolve(current)[0] === current,
              }),
            evolve: evolvedBy([first, ...others]),
          },
        ],
  )
}

/** A change of many documents must find those that earlier changes made, so it is its own step. Others go together. */
const stepsOf = (changes: ReadonlyArray<Change>): ReadonlyArray<ReadonlyArray<Change>> => {
  const ends = changes.flatMap(({ where }, i) => (where === undefined ? [] : [i, i + 1]))
  return [...ends, changes.length]
    .map((end, i) => changes.slice(ends[i - 1] ?? 0, end))
    .filter(({ length }) => length > 0)
}

const documentsAtOnce = 1_000
const atOnce = 3

/**
 * Applies changes with one write for each document. Writes 1,000 documents at a time, with up to 3 such writes in
 * parallel. Uses the live views unless `collectionOf` names other collections.
 */
export const applyWith = (
  updateDocuments: (groups: ReadonlyArray<Group<AnyDocument>>) => Promise<void>,
  idsWhere: IdsWhere,
  collectionOf: CollectionOf = (view) => view,
  chooseDrift: ChooseDrift = async (changes) => changes,
): ApplyChanges => {
  const oneByOne = serial()
  const apply = async (groups: ReadonlyArray<Group<AnyDocument>>) => {
    const left = chunks(groups, documentsAtOnce).values()
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
  const named = async (change: Change): Promise<ReadonlyArray<Change>> => {
    if (change.where === undefined) return [change]
    const ids = await idsWhere(collectionOf(change.view), change.where)
    return ids.map((id) => ({ ...change, id }))
  }
  /** Many requests change one document of `drift`. So that they do not conflict, these applies run one by one. */
  const applyDrift = (changes: ReadonlyArray<Change>) =>
    oneByOne(async () => apply(groupsOf(await chooseDrift(changes, collectionOf), collectionOf)))
  return async (changes) => {
    for (const step of stepsOf(changes.filter(({ view }) => view !== 'drift'))) {
      const each = await Promise.all(step.map(named))
      await apply(groupsOf(each.flat(), collectionOf))
    }
    const drift = changes.filter(({ view }) => view === 'drift')
    if (drift.length > 0) await applyDrift(drift)
  }
}
