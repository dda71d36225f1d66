import { backoff } from '../shared/backoff.ts'
import type { Sleep } from '../shared/time.ts'
import { classify } from './classify.ts'
import type { ReadPresent, Stored, Write, WriteIfUnchanged } from './store.ts'

/**
 * The changes of one document, in their order. `id` is its `_id`, or with `by` the name of the chain whose newest
 * document it is.
 */
export type Group<D> = {
  readonly collection: string
  readonly id: string
  readonly by?: 'latestOf'
  /** The document is hardly ever there already, so the first attempt does not read it. All groups of a collection agree. */
  readonly isNew?: true
  readonly evolve: (current: D | undefined) => ReadonlyArray<D>
  /** Whether the document has the first change already: a process has written it, and may have died then. */
  readonly repeats?: (current: D) => boolean
}

type WrittenDocument<D> = Write<D> & { readonly collection: string; readonly isRepeated: boolean }

/** Called after documents are written, also with those that were up to date. */
export type Written<D> = (writes: ReadonlyArray<WrittenDocument<D>>) => Promise<void>

const attempts = 12

const byCollection = <A extends { readonly collection: string }>(items: ReadonlyArray<A>) =>
  [...Map.groupBy(items, ({ collection }) => collection)] as const

/** The whole pause is random, so that two writers do not conflict repeatedly. */
const pauses = { baseMs: 5, capMs: 500, jitter: 1 }

/**
 * Waits for all promises, so that none is running any more. Then rejects if any of them failed. A transient error has
 * priority, because an outage may have caused the other errors.
 */
export const allDone = async <A>(promises: ReadonlyArray<Promise<A>>): Promise<ReadonlyArray<A>> => {
  const settled = await Promise.allSettled(promises)
  const errors: ReadonlyArray<unknown> = settled.flatMap((it) => (it.status === 'rejected' ? [it.reason] : []))
  if (errors.length > 0) throw errors.find((error) => classify(error).kind === 'transient') ?? errors[0]
  return settled.flatMap((it) => (it.status === 'fulfilled' ? [it.value] : []))
}

/**
 * Reads, folds, then compares and sets. Retries until no other writer has overtaken any document. Collections are
 * processed in parallel. Documents that the fold returns unchanged are not written. Throws after too many attempts, or
 * with the error of a step.
 */
export const optimisticUpdate =
  <D extends Stored>({
    read,
    write,
    written,
    sleep,
  }: {
    readonly read: ReadPresent<D>
    readonly write: WriteIfUnchanged<D>
    readonly written: Written<D>
    readonly sleep: Sleep
  }) =>
  async (groups: ReadonlyArray<Group<D>>): Promise<void> => {
    const fold = async (collection: string, members: ReadonlyArray<Group<D>>, attempt: number) => {
      const ids = members.map(({ id }) => id)
      const [first] = members
      const isUnread = attempt === 0 && first?.isNew === true
      const present = isUnread ? new Map<string, D>() : await read(collection, ids, first?.by)
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
    const all: WrittenDocument<D>[] = []
    for (let attempt = 0; attempt < attempts; attempt++) {
      const folded = (
        await allDone(byCollection(groups).map(([collection, members]) => fold(collection, members, attempt)))
      ).flat()
      const changed = folded.flatMap((writes) =>
        writes.length === 1 ? writes.filter(({ before, after }) => before !== after) : [],
      )
      // A document of a chain and the one that follows it are written together or not at all.
      const together = folded.flatMap((writes) => (writes.length > 1 ? writes : []))
      const results = await allDone([
        ...byCollection(changed).map(([collection, writes]) => write(collection, writes)),
        ...byCollection(together).map(([collection, writes]) => write(collection, writes, 'all or none')),
      ])
      // A partly overtaken attempt has written documents that the next one finds up to date: they are collected here.
      all.push(...folded.flat())
      if (results.every((result) => result === 'written')) return written(all)
      await sleep(backoff(attempt + 1, pauses))
    }
    throw new Error(
      `gave up after ${attempts} attempts: other writers were faster, or a majority does not have the newest version yet`,
    )
  }
