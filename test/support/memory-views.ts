import type { ViewName, Views } from '../../contracts/views.ts'
import type { ApplyChanges } from '../../src/domain/ports.ts'
import { changesOf } from '../../src/projections/decoded.ts'
import type { Entry } from './logs.ts'

/** Documents by view and id. */
export type Documents = Readonly<Record<string, Views[ViewName]>>

/** The changes of a log's entries, in their order. */
export const changesOfEntries = (entries: ReadonlyArray<Entry>) =>
  entries.flatMap(({ said, ...place }) => changesOf({ ...place, key: null, value: null, headers: {} }, said))

/** Views in memory: what a plain fold gives. */
export const memoryViews = (): { readonly applyChanges: ApplyChanges; readonly documents: () => Documents } => {
  const documents = new Map<string, Views[ViewName]>()
  return {
    applyChanges: async (changes) => {
      for (const { view, id, evolve } of changes) documents.set(`${view} ${id}`, evolve(documents.get(`${view} ${id}`)))
    },
    documents: () => Object.fromEntries(documents),
  }
}

/** A plain fold of a log. */
export const foldOf = async (log: ReadonlyArray<Entry>): Promise<Documents> => {
  const { applyChanges, documents } = memoryViews()
  await applyChanges(changesOfEntries(log))
  return documents()
}
