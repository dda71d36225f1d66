import * as E from 'fp-ts/lib/Either.js'
import { BSON, type Collection, type Db, type Document, type FindCursor, MongoServerError } from 'mongodb'
import type { ViewName } from '../views/index.ts'
import { classify } from './classify.ts'
import { rejectAfter } from './client.ts'

/** The result is not known: MongoDB is unavailable, or the query takes too long. The console may show the reason. */
export type NotKnown = { readonly reason: string }
export type Known<A> = Promise<E.Either<NotKnown, A>>

/** People wait for the result, and others need the database too. */
const queryMs = 4_000
/** The options of each query of the console. */
export const bounded = { maxTimeMS: queryMs } as const

/** The documents of a view. Another name does not compile: MongoDB would find nothing under it. */
export const viewIn = <D extends Document = Document>(db: Db, view: ViewName): Collection<D> => db.collection<D>(view)

const exceededTimeLimit = 50
const tooMuch = `the query took MongoDB longer than ${queryMs / 1000} s: request less, for example one day`
const queryReasonOf = (error: unknown, reason: string) =>
  error instanceof MongoServerError && error.code === exceededTimeLimit ? tooMuch : `MongoDB: ${reason}`

/** The outcome of queries, each `bounded`. Throws if they fail through the bridge's own fault. */
export const known = async <A>(asked: Promise<A>): Known<A> => {
  try {
    return E.right(await rejectAfter(queryMs + 1_000, asked))
  } catch (error) {
    const { kind, reason } = classify(error)
    if (kind === 'permanent') throw error
    return E.left({ reason: queryReasonOf(error, reason) })
  }
}

/** A document of an event may have megabytes. */
const maxBytes = 8 * 1024 * 1024
const batchSize = 100

/** The first documents of a cursor that fit into 8 MiB, at least one, and whether there are more. */
export const thatFit = async <D extends object>(
  found: FindCursor<D>,
  most: number,
): Promise<{ readonly documents: ReadonlyArray<D>; readonly areAll: boolean }> => {
  const documents: D[] = []
  let bytes = 0
  // One document more than wanted shows whether there are more.
  for await (const document of found.limit(most + 1).batchSize(batchSize)) {
    bytes += BSON.calculateObjectSize(document)
    if (documents.length === most || (bytes > maxBytes && documents.length > 0)) return { documents, areAll: false }
    documents.push(document)
  }
  return { documents, areAll: true }
}
