import type { Db } from 'mongodb'
import type { ViewName } from '../../../contracts/views.ts'
import type { Positions } from '../../projections/rebuild/places.ts'
import { namesIn, rename } from './collections.ts'
import { rebuiltName, swapName } from './names.ts'
import { noteRebuild, type RebuildDocument } from './state.ts'
import { breakLock } from './swap-lock.ts'

/** What a writer has committed. */
export type CommittedBy = (writer: string) => Promise<Positions>

const furthest = (before: RebuildDocument['positions'], committed: Positions) => {
  const all = new Map(Object.entries(before))
  for (const [source, position] of committed) all.set(source, Math.max(position, all.get(source) ?? 0))
  return Object.fromEntries(all)
}

/**
 * Hands a rebuild that was interrupted anywhere to a new writer. The one before may only be frozen: what it has committed is
 * read first, and then its collections get the new writer's names. So whatever it does when it wakes up, it does to
 * collections and to a consumer group that nobody uses any more, and all that it had committed is in those that are used.
 */
export const handOver = async (
  db: Db,
  rebuild: RebuildDocument,
  owner: string,
  committedBy: CommittedBy,
): Promise<RebuildDocument> => {
  await breakLock(db, rebuild)
  const last = rebuild.writers.at(-1)
  const positions = furthest(rebuild.positions, last === undefined ? new Map() : await committedBy(last))
  const writers = [...rebuild.writers, owner]
  await noteRebuild(db, owner, { positions, writers })
  const names = await namesIn(db)
  for (const view of rebuild.views.filter((each) => !rebuild.swapped.includes(each))) {
    // A late write may have made a collection again after it was renamed: the furthest name is the one.
    const furthestName = rebuild.writers
      .flatMap((writer) => [rebuiltName(view, writer), swapName(view, writer)])
      .findLast((name) => names.has(name))
    if (furthestName !== undefined) await rename(db, furthestName, rebuiltName(view, owner))
  }
  const { lock, ...rest } = rebuild
  return { ...rest, owner, positions, writers }
}

/** Those of the views whose rebuilt collections are there. */
export const madeOf = async (
  db: Db,
  views: ReadonlyArray<ViewName>,
  writer: string,
): Promise<ReadonlyArray<ViewName>> => {
  const names = await namesIn(db)
  return views.filter((view) => names.has(rebuiltName(view, writer)))
}
