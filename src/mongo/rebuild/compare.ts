import type { Db } from 'mongodb'
import type { ViewName } from '../../../contracts/views.ts'
import type { Fields } from '../../projections/rebuild/fields.ts'
import { rebuiltName } from './names.ts'

/** Documents of one id; at least one of them is there, or was. */
export type Pair = { readonly id: string; readonly live: Fields | undefined; readonly rebuilt: Fields | undefined }

/** Reads the documents of some ids on both sides. */
export type ReadPairs = () => Promise<ReadonlyArray<Pair>>

/** A damaged document's id may be anything: whatever is read is asked for as it is, and named by its text. */
type Stored = Fields & { readonly _id: string }

const atOnce = 300
const queryMs = 60_000

const idsIn = async function* (db: Db, collection: string): AsyncGenerator<ReadonlyArray<string>> {
  let ids: Array<string> = []
  const cursor = db
    .collection<Stored>(collection)
    .find({}, { projection: { _id: 1 }, sort: { _id: 1 }, batchSize: 5_000 })
  for await (const { _id } of cursor) {
    ids.push(_id)
    if (ids.length < atOnce) continue
    yield ids
    ids = []
  }
  if (ids.length > 0) yield ids
}

const readOf = async (db: Db, collection: string, ids: ReadonlyArray<string>): Promise<ReadonlyMap<string, Fields>> => {
  const found = await db
    .collection<Stored>(collection)
    .find({ _id: { $in: [...ids] } }, { maxTimeMS: queryMs })
    .toArray()
  return new Map(found.map((document) => [String(document._id), document]))
}

const reading =
  (db: Db, view: ViewName, writer: string, ids: ReadonlyArray<string>): ReadPairs =>
  async () => {
    const [live, rebuilt] = await Promise.all([readOf(db, view, ids), readOf(db, rebuiltName(view, writer), ids)])
    return ids.map((each) => ({ id: String(each), live: live.get(String(each)), rebuilt: rebuilt.get(String(each)) }))
  }

const readIds = async (db: Db, collection: string, ids: ReadonlyArray<string>): Promise<ReadonlySet<string>> => {
  const found = await db
    .collection<Stored>(collection)
    .find({ _id: { $in: [...ids] } }, { projection: { _id: 1 }, maxTimeMS: queryMs })
    .toArray()
  return new Set(found.map(({ _id }) => String(_id)))
}

/** Every document that either side has, once, some hundred at a time. */
export const pairsOf = async function* (db: Db, view: ViewName, writer: string): AsyncGenerator<ReadPairs> {
  for await (const ids of idsIn(db, rebuiltName(view, writer))) yield reading(db, view, writer, ids)
  for await (const ids of idsIn(db, view)) {
    const both = await readIds(db, rebuiltName(view, writer), ids)
    const others = ids.filter((each) => !both.has(String(each)))
    if (others.length > 0) yield reading(db, view, writer, others)
  }
}

/** The same for ids that are known. */
export const pairsAgain = (db: Db, view: ViewName, writer: string, ids: ReadonlyArray<string>): ReadPairs =>
  reading(db, view, writer, ids)
