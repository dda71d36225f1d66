import type { ViewName, Views } from '../../contracts/views.ts'
import type { ApplyChanges } from '../ports.ts'
import { chunks, groupsOf } from './groups.ts'
import type { Group } from './settle.ts'

const documentsAtOnce = 300

/** Applies changes, one write for each document, some hundred documents at a time. */
export const applyWith =
  (settleGroups: (groups: ReadonlyArray<Group<Views[ViewName]>>) => Promise<void>): ApplyChanges =>
  async (changes) => {
    for (const some of chunks(groupsOf(changes), documentsAtOnce)) await settleGroups(some)
  }
