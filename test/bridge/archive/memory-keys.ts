import { isDeepStrictEqual } from 'node:util'
import type { ArchiveKey, ArchiveKeys } from '../../../src/bridge/domain/archive-keys.ts'

/** The collection archive_keys in memory. The scenarios of the port are run against it and against MongoDB. */
export const memoryKeys = (): ArchiveKeys & { readonly documents: Map<string, ArchiveKey> } => {
  const documents = new Map<string, ArchiveKey>()
  return {
    documents,
    find: async (ids) =>
      new Map(ids.flatMap((id) => (documents.has(id) ? [[id, documents.get(id) as ArchiveKey]] : []))),
    add: async (keys) => {
      for (const { id, kid, wrapped } of keys) {
        const before = documents.get(id)
        if (before?.kid === undefined) documents.set(id, { erasedKids: [], ...before, id, kid, wrapped })
      }
    },
    destroy: async (id, erased) => {
      const { kid, wrapped: _, erased: before, ...rest } = documents.get(id) ?? { id, erasedKids: [] }
      const isThere = before?.topicId === erased.topicId && before.partition === erased.partition
      if (isThere && before.offset >= erased.offset) return
      documents.set(id, { ...rest, erased, erasedKids: [...rest.erasedKids, ...(kid === undefined ? [] : [kid])] })
    },
    acceptLoss: async (lost) => {
      for (const { id, before } of lost) {
        const { lostBefore = [], ...key } = documents.get(id) ?? { id, erasedKids: [] }
        const added = before.filter((place) => !lostBefore.some((known) => isDeepStrictEqual(known, place)))
        documents.set(id, { ...key, lostBefore: [...lostBefore, ...added] })
      }
    },
    giveUp: async (wrapped) => {
      const isAlike = (other = '') => other.split('.')[0] === wrapped.split('.')[0]
      for (const [id, { kid: _, wrapped: own, ...rest }] of documents) if (isAlike(own)) documents.set(id, rest)
    },
    examples: async () => {
      const wrapped = [...documents.values()].flatMap((key) => (key.wrapped === undefined ? [] : [key.wrapped]))
      return [...new Map(wrapped.map((each) => [each.split('.')[0], each])).values()]
    },
    all: async function* () {
      for (const { id, kid, wrapped } of documents.values())
        if (kid !== undefined && wrapped !== undefined) yield { id, kid, wrapped }
    },
    rewrap: async (keys) => {
      for (const { id, kid, wrapped } of keys) {
        const before = documents.get(id)
        if (before?.kid === kid) documents.set(id, { ...before, wrapped })
      }
    },
  }
}
