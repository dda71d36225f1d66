import type { Db } from 'mongodb'
import type { ConversationDocument } from '../../../contracts/views/conversation.ts'
import { batchedLookup } from '../shared/batched-lookup.ts'
import { conversations, ofPartition, whoseClientWaits } from '../views/conversations.ts'
import { drift, entriesByKind } from '../views/drift.ts'
import type { ReadView, ViewName, Views } from '../views/index.ts'
import { rejectAfter } from './client.ts'
import { readPresent, type Stored } from './store.ts'

/**
 * Reads documents. Requests for one view at the same time share a query. Reads at `local`: a newly elected primary has
 * all that a majority has acknowledged, but reads at `majority` may not show it yet.
 */
export const readDocumentIn = (db: Db): ReadView => {
  const read = readPresent<Stored>(db, 'local')
  const views = new Map<ViewName, ReturnType<typeof batchedLookup<Stored>>>()
  return async <V extends ViewName>(view: V, id: string) => {
    const ask = views.get(view) ?? batchedLookup((ids) => read(view, [...ids]))
    views.set(view, ask)
    return (await ask([id])).get(id) as Views[V] | undefined
  }
}

const queryMs = 10_000

/** The number of an account's entries in `drift` of one kind. */
type DriftCount = { readonly account: string; readonly kind: string; readonly entries: number }

/** The number of waiting conversations by account, without zeros. Throws if MongoDB does not answer in time. */
export const countWaiting =
  (db: Db) =>
  async (accountIds: ReadonlyArray<string>, since: Date, withinMs: number): Promise<ReadonlyMap<string, number>> => {
    type Count = { readonly _id: string; readonly count: number }
    const stages = [
      { $match: whoseClientWaits(accountIds, since) },
      { $group: { _id: '$accountId', count: { $sum: 1 } } },
    ]
    const counts = db.collection(conversations.name).aggregate<Count>(stages, { maxTimeMS: withinMs }).toArray()
    return new Map((await rejectAfter(withinMs, counts)).map(({ _id, count }) => [_id, count]))
  }

/** The number of entries in `drift` by account and kind, without zeros. Throws if MongoDB does not answer in time. */
export const countDrift =
  (db: Db) =>
  async (accountIds: ReadonlyArray<string>, withinMs: number): Promise<ReadonlyArray<DriftCount>> => {
    const stages = [...entriesByKind(accountIds)]
    return rejectAfter(
      withinMs,
      db.collection(drift.name).aggregate<DriftCount>(stages, { maxTimeMS: withinMs }).toArray(),
    )
  }

/**
 * The waiting conversations of these accounts (`whoseClientWaits`) with a record of this partition of
 * bot-conversations. Throws if MongoDB does not answer within 10 s.
 */
export const waitingConversations =
  (db: Db) =>
  (partition: number, accountIds: ReadonlyArray<string>, since: Date): Promise<ReadonlyArray<ConversationDocument>> => {
    const waiting = { ...whoseClientWaits(accountIds, since), ...ofPartition(partition) }
    return rejectAfter(
      queryMs,
      db
        .collection<ConversationDocument>(conversations.name)
        .find(waiting as object, { maxTimeMS: queryMs, batchSize: 1_000, projection: { lastMessage: 0 } })
        .toArray(),
    )
  }
