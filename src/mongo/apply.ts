import type { ViewName, Views } from '../../contracts/views.ts'
import type { ApplyChanges } from '../domain/ports.ts'
import { allDone } from './all-done.ts'
import { type CollectionOf, chunks, groupsOf } from './groups.ts'
import type { Group } from './settle.ts'

const documentsAtOnce = 1_000
const atOnce = 3

/**
 * Applies changes, one write for each document, a thousand documents at a time and a few such writes beside each other; to the live
 * views unless others are named.
 */
export const applyWith =
  (
    settleGroups: (groups: ReadonlyArray<Group<Views[ViewName]>>) => Promise<void>,
    collectionOf?: CollectionOf,
  ): ApplyChanges =>
  async (changes) => {
    const left = chunks(groupsOf(changes, collectionOf), documentsAtOnce).values()
    let failed = false
    const run = async () => {
      for (const some of left) {
        if (failed) return
        await settleGroups(some).catch((error: unknown) => {
          failed = true
          throw error
        })
      }
    }
    await allDone(Array.from({ length: atOnce }, run))
  }
