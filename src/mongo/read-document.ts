import type { Db } from 'mongodb'
import type { ViewName, Views } from '../../contracts/views.ts'
import type { ReadDocument } from '../domain/ports.ts'
import { batchedLookup } from '../shared/batched-lookup.ts'
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
