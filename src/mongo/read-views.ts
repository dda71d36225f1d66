import type { Db } from 'mongodb'
import type { ConversationDocument } from '../../contracts/views/conversation.ts'
import type { ViewName, Views } from '../../contracts/views.ts'
import type { ReadDocument } from '../domain/ports.ts'
import { batchedLookup } from '../shared/batched-lookup.ts'
import { within } from './client.ts'
import { readPresent, type Stored } from './store.ts'

/**
 * Reads documents; of one view, those that are asked for at the same time in one query. At `local`: a primary that was just
 * elected has all that a majority has acknowledged, but reads at `majority` may not show it yet.
 */
export const readDocumentIn = (db: Db): ReadDocument => {
  const read = readPresent<Stored>(db, 'local')
  const views = new Map<ViewName, ReturnType<typeof batchedLookup<Stored>>>()
  return async <V extends ViewName>(view: V, id: string) => {
    const ask = views.get(view) ?? batchedLookup((ids) => read(view, [...ids]))
    views.set(view, ask)
    return (await ask([id])).get(id) as Views[V] | undefined
  }
}

const queryMs = 10_000

/** How many places of an account the contracts do not know, of a kind. */
type DriftCount = { readonly account: string; readonly kind: string; readonly entries: number }

/**
 * Those of these accounts whose client waits for a word (`silentSince`), if something has happened in them since then. Documents of a
 * former version, until they are rebuilt, have their times as text.
 */
export const whoseClientWaits = (accountIds: ReadonlyArray<string>, since: Date) => ({
  accountId: { $in: [...accountIds] },
  silentSince: { $exists: true },
  $or: [{ lastEventAt: { $gte: since } }, { lastEventAt: { $gte: since.toISOString() } }],
})

/** How many of them each account has; accounts without any are missing. Throws when that is not known in time. */
export const countWaiting =
  (db: Db) =>
  async (accountIds: ReadonlyArray<string>, since: Date, withinMs: number): Promise<ReadonlyMap<string, number>> => {
    type Count = { readonly _id: string; readonly count: number }
    const stages = [
      { $match: whoseClientWaits(accountIds, since) },
      { $group: { _id: '$accountId', count: { $sum: 1 } } },
    ]
    const counts = db.collection('conversations').aggregate<Count>(stages, { maxTimeMS: withinMs }).toArray()
    return new Map((await within(withinMs, counts)).map(({ _id, count }) => [_id, count]))
  }

/** How many entries `drift` has of each of these accounts and kinds; those without any are missing. Throws when that is not known in time. */
export const countDrift =
  (db: Db) =>
  async (accountIds: ReadonlyArray<string>, withinMs: number): Promise<ReadonlyArray<DriftCount>> => {
    const stages = [
      { $match: { accountId: { $in: [...accountIds] } } },
      { $group: { _id: { account: '$accountId', kind: '$kind' }, entries: { $sum: 1 } } },
      { $replaceWith: { $mergeObjects: ['$_id', { entries: '$entries' }] } },
    ]
    return within(withinMs, db.collection('drift').aggregate<DriftCount>(stages, { maxTimeMS: withinMs }).toArray())
  }

/**
 * The conversations of these accounts whose client waits for a word (`silentSince`), as far as this partition of
 * bot-conversations has them and something has happened in them since then. Throws when that is not known within 10 s.
 */
export const waitingConversations =
  (db: Db) =>
  (partition: number, accountIds: ReadonlyArray<string>, since: Date): Promise<ReadonlyArray<ConversationDocument>> => {
    const waiting = {
      ...whoseClientWaits(accountIds, since),
      [`applied.bot-conversations/${partition}`]: { $exists: true },
    }
    return within(
      queryMs,
      db
        .collection<ConversationDocument>('conversations')
        .find(waiting as object, { maxTimeMS: queryMs, batchSize: 1_000, projection: { lastMessage: 0 } })
        .toArray(),
    )
  }
