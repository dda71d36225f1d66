import type { ViewName, Views } from '../../contracts/views.ts'
import type { ApplyChanges } from '../ports.ts'
import { type CollectionOf, chunks, groupsOf } from './groups.ts'
import type { Group } from './settle.ts'

const documentsAtOnce = 2_000

/** Applies changes, one write for each document, some thousand documents at a time; to the live views unless others are named. */
export const applyWith =
  (
    settleGroups: (groups: ReadonlyArray<Group<Views[ViewName]>>) => Promise<void>,
    collectionOf?: CollectionOf,
  ): ApplyChanges =>
  async (changes) => {
    for (const some of chunks(groupsOf(changes, collectionOf), documentsAtOnce)) await settleGroups(some)
  }
