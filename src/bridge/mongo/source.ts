import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { BSON, type Collection, type Db, type Document, type FindCursor, MongoServerError } from 'mongodb'
import type { ViewName } from '../views/index.ts'
import { classify } from './classify.ts'
import { rejectAfter } from './client.ts'

/** What has MongoDB's query language: conditions, stages. */
type Terms = Readonly<Record<string, unknown>>

/** The collection that is read, and the codec of a row. Rows were written by this bridge, so they are not decoded. */
type Rows<Row> = {
  readonly view: ViewName | 'erasures'
  readonly row: t.Type<Row, unknown, unknown>
}

/** A query of a view as data. The name of each field must be one that the view's contract has: a test compares them. */
export type Find<Row> = Rows<Row> & {
  readonly where: Terms
  readonly sort?: Readonly<Record<string, 1 | -1>>
  /** The fields of a row that is not the whole document. */
  readonly fields?: ReadonlyArray<string>
  readonly skip?: number
  readonly limit?: number
  /** Without this a batch has 16 MiB, and reading it blocks everything else. */
  readonly batchSize?: number
}

/** The same as stages of a pipeline. */
export type Pipeline<Row> = Rows<Row> & { readonly stages: ReadonlyArray<Terms> }

export type Source<Row> = Find<Row> | Pipeline<Row>

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

/** A query as the driver takes it, exported for tests of MongoDB's plans. */
export const findOf = <Row>({ where, sort, fields, skip, limit, batchSize }: Find<Row>) => ({
  where,
  options: {
    ...bounded,
    ...(sort && { sort }),
    ...(fields && { projection: Object.fromEntries(fields.map((name) => [name, 1])) }),
    ...(skip && { skip }),
    ...(limit && { limit }),
    ...(batchSize && { batchSize }),
  },
})

const cursorOf = <Row>(db: Db, source: Find<Row>) => {
  const { where, options } = findOf(source)
  return db.collection(source.view).find<Row & object>(where, options)
}

/** Reads the rows of a query. */
export type Read = <Row>(source: Source<Row>) => Known<ReadonlyArray<Row>>

export const readIn =
  (db: Db): Read =>
  <Row>(source: Source<Row>) =>
    known<ReadonlyArray<Row>>(
      'stages' in source
        ? db
            .collection(source.view)
            .aggregate<Row & object>([...source.stages], bounded)
            .toArray()
        : cursorOf(db, source).toArray(),
    )

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
