import { serial } from '../shared/keyed-queue.ts'
import { chunks } from '../shared/slices.ts'
import type { Sleep } from '../shared/time.ts'
import { isAccountWide } from '../views/changes.ts'
import type { ApplyChanges, Change, ViewDocument } from '../views/document.ts'
import { foldedOfName } from '../views/index.ts'
import type { TimeZoneOf } from '../views/stats-days.ts'
import type { Reads } from '../views/view.ts'
import { classify } from './classify.ts'
import type { MongoConnection } from './connect.ts'
import { allDone, type Group, optimisticUpdate } from './optimistic-update.ts'
import { swapGate, unlessSwapping } from './rebuild/swap.ts'
import { markWritten } from './stats-due.ts'
import { type CollectionOf, type IdsWhere, idsWhere, readPresent, readsIn, writeIfUnchanged } from './store.ts'
import { markAudited } from './transcript-audits.ts'
import { writeBatcher } from './write-batcher.ts'

/** The documents that the changes of one document make, the newest last. */
const evolvedBy =
  (changes: ReadonlyArray<Change>) =>
  (current: ViewDocument | undefined): ReadonlyArray<ViewDocument> =>
    changes.reduce<ReadonlyArray<ViewDocument>>(
      (documents, { evolve }) => [...documents.slice(0, -1), ...evolve(documents.at(-1))],
      current === undefined ? [] : [current],
    )

const groupOf = (first: Change, changes: ReadonlyArray<Change>, collectionOf: CollectionOf): Group<ViewDocument> => {
  // A change with `where` names documents that exist, and no chain.
  const view = first.where === undefined ? foldedOfName(first.view) : undefined
  return {
    collection: collectionOf(first.view),
    id: first.id,
    evolve: evolvedBy(changes),
    ...(view?.isWrittenOnce && { isNew: true }),
    ...(view?.isChain && { by: 'latestOf', repeats: (current) => first.evolve(current)[0] === current }),
  }
}

/** One group for each document, with its changes in their order. */
export const groupsOf = (
  changes: ReadonlyArray<Change>,
  collectionOf: CollectionOf = (view) => view,
): ReadonlyArray<Group<ViewDocument>> => {
  const byDocument = Map.groupBy(changes, ({ view, id }) => `${view}/${id}`)
  return [...byDocument.values()].flatMap((own) => (own[0] === undefined ? [] : [groupOf(own[0], own, collectionOf)]))
}

/** A change of many documents must find those that earlier changes made, so it is its own step. Others go together. */
const stepsOf = (changes: ReadonlyArray<Change>): ReadonlyArray<ReadonlyArray<Change>> => {
  const steps: Array<Array<Change>> = []
  for (const change of changes) {
    const last = steps.at(-1)
    const isOfOne = change.where === undefined
    if (isOfOne && last !== undefined && last[0]?.where === undefined) last.push(change)
    else steps.push([change])
  }
  return steps
}

const documentsAtOnce = 1_000
const atOnce = 3

/**
 * Applies changes with one write for each document. Writes 1,000 documents at a time, with up to 3 such writes in
 * parallel. Uses the live views unless `collectionOf` names other collections.
 */
export const applyWith = (
  updateDocuments: (groups: ReadonlyArray<Group<ViewDocument>>) => Promise<void>,
  findIds: IdsWhere,
  collectionOf: CollectionOf = (view) => view,
  reads?: Reads,
): ApplyChanges => {
  const oneByOne = serial()
  const apply = async (groups: ReadonlyArray<Group<ViewDocument>>) => {
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
    const ids = await findIds(collectionOf(change.view), change.where)
    return ids.map((id) => ({ ...change, id }))
  }
  const chosen = async (view: string, changes: ReadonlyArray<Change>): Promise<ReadonlyArray<Change>> => {
    const choose = foldedOfName(view)?.choose
    return choose === undefined || reads === undefined ? changes : choose(changes, reads)
  }
  /** Many records change one document of such a view. So that they do not conflict, these applies run one by one. */
  const applyInOrder = (view: string, changes: ReadonlyArray<Change>) =>
    oneByOne(async () => apply(groupsOf(await chosen(view, changes), collectionOf)))
  return async (changes) => {
    for (const step of stepsOf(changes.filter((change) => !isAccountWide(change)))) {
      const each = await Promise.all(step.map(named))
      await apply(groupsOf(each.flat(), collectionOf))
    }
    for (const [view, own] of Map.groupBy(changes.filter(isAccountWide), (change) => change.view))
      await applyInOrder(view, own)
  }
}

/**
 * Applies changes to the live views; calls at the same time go to MongoDB together. The client that writes does not
 * retry. A retry needs a record in `config.transactions` for each update. That costs a tenth of the update, and a failed
 * slice is redelivered anyway.
 */
export const applyChangesIn = (
  { query, databaseWith }: Pick<MongoConnection, 'query' | 'databaseWith'>,
  sleep: Sleep,
  timeZoneOf: TimeZoneOf,
): ApplyChanges =>
  query((db) => {
    const updateDocuments = optimisticUpdate<ViewDocument>({
      read: readPresent(db, 'majority'),
      write: writeIfUnchanged(databaseWith({ retryWrites: false })),
      written: async (writes) => {
        await allDone([markWritten(db, timeZoneOf)(writes), markAudited(db)(writes)])
      },
      sleep,
    })
    return writeBatcher({
      applyChanges: unlessSwapping(
        swapGate(db),
        applyWith(updateDocuments, idsWhere(db), undefined, readsIn(db)),
        sleep,
      ),
      classify,
    })
  })
