import type { Sleep } from '../domain/ports.ts'
import { classify } from './classify.ts'
import type { ReadPresent, Stored, Write, WriteIfUnchanged } from './store.ts'

/** One document's changes, in their order: the document by its `_id`, or the newest of a chain; and what they make of it. */
export type Group<D> = {
  readonly collection: string
  readonly id: string
  readonly by?: 'latestOf'
  readonly evolve: (current: D | undefined) => ReadonlyArray<D>
  /** Whether a document has the first of the changes already: it was written before, and maybe whoever did so died then. */
  readonly repeats?: (current: D) => boolean
}

type Told<D> = Write<D> & { readonly collection: string; readonly isRepeated: boolean }

/** Told of documents once they are written, also of those that were up to date. */
export type Written<D> = (writes: ReadonlyArray<Told<D>>) => Promise<void>

type Deps<D> = {
  readonly read: ReadPresent<D>
  readonly write: WriteIfUnchanged<D>
  readonly written: Written<D>
  /** Asked with the changes in hand and before anything is written; false is 'wait and ask again' (rebuild/swap.ts). */
  readonly mayWrite: () => Promise<boolean>
  readonly sleep: Sleep
}

const attempts = 12
const askAgainMs = 20

const byCollection = <A extends { readonly collection: string }>(items: ReadonlyArray<A>) =>
  [...Map.groupBy(items, ({ collection }) => collection)] as const

/** Full jitter up to 5, 10, 20, … 500 ms, so that two writers do not meet again and again. */
const pause = (attempt: number): number => Math.random() * Math.min(500, 5 * 2 ** attempt)

/**
 * Waits for all, so that nothing of it is under way any more; then rejects with what failed. An outage among the
 * failures is told first: others may have come from it.
 */
export const allDone = async <A>(promises: ReadonlyArray<Promise<A>>): Promise<ReadonlyArray<A>> => {
  const settled = await Promise.allSettled(promises)
  const errors: ReadonlyArray<unknown> = settled.flatMap((it) => (it.status === 'rejected' ? [it.reason] : []))
  if (errors.length > 0) throw errors.find((error) => classify(error).kind === 'transient') ?? errors[0]
  return settled.flatMap((it) => (it.status === 'fulfilled' ? [it.value] : []))
}

/**
 * Read, fold, compare and set, until no document was overtaken by another writer; collections side by side. Documents
 * that the fold returns as they were are not written. Throws when that fails too often, or with the error of a step.
 */
export const optimisticUpdate =
  <D extends Stored>({ read, write, written, mayWrite, sleep }: Deps<D>) =>
  async (groups: ReadonlyArray<Group<D>>): Promise<void> => {
    const fold = async ([collection, members]: readonly [string, ReadonlyArray<Group<D>>]) => {
      const present = await read(
        collection,
        members.map(({ id }) => id),
        members[0]?.by,
      )
      return members.map(({ id, evolve, repeats }) => {
        const before = present.get(id)
        const isRepeated = before !== undefined && repeats?.(before) === true
        return evolve(before).map((after, i) => ({
          collection,
          before: i === 0 ? before : undefined,
          after,
          isRepeated,
        }))
      })
    }
    const all: Told<D>[] = []
    for (let attempt = 0; attempt < attempts; attempt++) {
      while (!(await mayWrite())) await sleep(askAgainMs)
      const folded = (await allDone(byCollection(groups).map(fold))).flat()
      const changed = folded.flatMap((writes) =>
        writes.length === 1 ? writes.filter(({ before, after }) => before !== after) : [],
      )
      // A document of a chain is never without the one that follows it.
      const together = folded.flatMap((writes) => (writes.length > 1 ? writes : []))
      const results = await allDone([
        ...byCollection(changed).map(([collection, writes]) => write(collection, writes)),
        ...byCollection(together).map(([collection, writes]) => write(collection, writes, 'all or none')),
      ])
      // What an attempt has written that was overtaken in part, the next one finds up to date.
      all.push(...folded.flat())
      if (results.every((result) => result === 'written')) return written(all)
      await sleep(pause(attempt))
    }
    throw new Error(`overtaken ${attempts} times in a row, by other writers or by what no majority has yet`)
  }
