import { changesOf } from '../../src/bridge/views/changes.ts'
import type { ApplyChanges, ViewDocument } from '../../src/bridge/views/document.ts'
import type { DriftChange } from '../../src/bridge/views/drift.ts'
import type { ViewName, Views } from '../../src/bridge/views/index.ts'
import { auditDue } from '../../src/bridge/views/session-chain.ts'
import type { Entry } from './logs.ts'

/** Documents by view and id. */
export type Documents = Readonly<Record<string, Views[ViewName]>>

/** The changes of a log's entries, in their order. */
export const changesOfEntries = (entries: ReadonlyArray<Entry>) =>
  entries.flatMap(({ content, ...place }) => changesOf({ ...place, key: null, value: null, headers: {} }, content))

/** A document as the fold writes it. The audit of a session is due in it, because it is made later. */
export const asFolded = <D extends object>(document: D): D =>
  'audit' in document ? { ...document, audit: auditDue } : document

const keysWhere = (documents: ReadonlyMap<string, object>, view: string, where: Readonly<Record<string, string>>) =>
  [...documents.keys()].filter((key) => {
    const document: Readonly<Record<string, unknown>> = { ...documents.get(key) }
    return key.startsWith(`${view} `) && Object.entries(where).every(([name, value]) => document[name] === value)
  })

const isCopy = (entry: object | undefined, record: object) => entry !== undefined && !isMatch(entry, record)
const isMatch = (entry: object, record: object) =>
  Object.entries(record).every(([name, value]) => Reflect.get(entry, name) === value)

/** Views in memory, as a plain fold writes them. */
export const memoryViews = (): { readonly applyChanges: ApplyChanges; readonly documents: () => Documents } => {
  const documents = new Map<string, ViewDocument>()
  const newest = new Map<string, ViewDocument>()
  return {
    applyChanges: async (changes) => {
      for (const change of changes) {
        const { view, id, where, evolve, firstOf }: DriftChange = change
        if (firstOf !== undefined && isCopy(documents.get(`timeline ${firstOf._id}`), firstOf)) continue
        if (where === undefined) {
          for (const document of evolve(newest.get(`${view} ${id}`))) {
            documents.set(`${view} ${document._id}`, document)
            newest.set(`${view} ${id}`, document)
          }
        } else
          for (const key of keysWhere(documents, view, where)) {
            const before = documents.get(key)
            for (const document of evolve(before)) {
              documents.set(key, document)
              for (const [name, last] of newest) if (last === before) newest.set(name, document)
            }
          }
      }
    },
    documents: () => Object.fromEntries(documents) as Documents,
  }
}

/** A plain fold of a log. */
export const foldOf = async (log: ReadonlyArray<Entry>): Promise<Documents> => {
  const { applyChanges, documents } = memoryViews()
  await applyChanges(changesOfEntries(log))
  return documents()
}
