import type { Sleep } from '../domain/ports.ts'
import { classify } from './classify.ts'
import type { ReadPresent, Stored, Write, WriteIfUnchanged } from './store.ts'

/** One document's changes, in their order. */
export type Group<D> = {
  readonly collection: string
  readonly id: string
  readonly evolve: (current: D | undefined) => D
}

/** What is about to be written is told before; the returned function is called when it is written. */
export type Announce<D> = (
  writes: ReadonlyArray<Write<D> & { readonly collection: string }>,
) => Promise<() => Promise<void>>

type Deps<D> = {
  readonly read: ReadPresent<D>
  readonly write: WriteIfUnchanged<D>
  readonly announce: Announce<D>
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
  <D extends Stored>({ read, write, announce, mayWrite, sleep }: Deps<D>) =>
  async (groups: ReadonlyArray<Group<D>>): Promise<void> => {
    const fold = async ([collection, members]: readonly [string, ReadonlyArray<Group<D>>]) => {
      const present = await read(
        collection,
        members.map(({ id }) => id),
      )
      return members.map(({ id, evolve }) => {
        const before = present.get(id)
        return { collection, before, after: evolve(before) }
      })
    }
    for (let attempt = 0; attempt < attempts; attempt++) {
      while (!(await mayWrite())) await sleep(askAgainMs)
      const folded = (await allDone(byCollection(groups).map(fold))).flat()
      const announced = await announce(folded)
      const changed = folded.filter(({ before, after }) => before !== after)
      const results = await allDone(byCollection(changed).map(([collection, writes]) => write(collection, writes)))
      if (results.every((result) => result === 'written')) return announced()
      await sleep(pause(attempt))
    }
    throw new Error(`overtaken ${attempts} times in a row, by other writers or by what no majority has yet`)
  }
