import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { BSON, type Db, MongoServerError } from 'mongodb'
import { exactShape } from '../../../contracts/primitives.ts'
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

type Shape<R extends t.Props, O extends t.Props> = t.ExactC<t.IntersectionC<[t.TypeC<R>, t.PartialC<O>]>>

const picked = <P extends t.Props, K extends PropertyKey>(props: P, names: ReadonlyArray<K>) =>
  Object.fromEntries(Object.entries(props).filter(([name]) => names.some((each) => each === name))) as Pick<
    P,
    K & keyof P
  >

/** Rows with these fields of a document, for a source. */
export const only = <R extends t.Props, O extends t.Props, K extends keyof R | keyof O>(
  { type: { types }, name }: Shape<R, O>,
  fields: ReadonlyArray<K & string>,
) => ({ row: exactShape(picked(types[0].props, fields), picked(types[1].props, fields), name), fields })

export type Source<Row> = Find<Row> | Pipeline<Row>
/** A source of any rows. */
export type AnySource = Source<t.TypeOf<t.Mixed>>

const Count = t.strict({ count: t.number })
type Count = t.TypeOf<typeof Count>

/** How many documents match, at most `most`. Without any there is no row (`countOf`). */
export const counting = (view: ViewName, where: Terms, most?: number): Pipeline<Count> => ({
  view,
  row: Count,
  stages: [{ $match: where }, ...(most === undefined ? [] : [{ $limit: most }]), { $count: 'count' }],
})
export const countOf = ([row]: ReadonlyArray<Count>): number => row?.count ?? 0

/** The result is not known: MongoDB is unavailable, or the query takes too long. The console may show the reason. */
export type NotKnown = { readonly reason: string; readonly isTooMuch?: true }
export type Known<A> = Promise<E.Either<NotKnown, A>>

/** People wait for the result, and others need the database too. */
const queryMs = 4_000
/** The options of each query of the console. */
const bounded = { maxTimeMS: queryMs } as const

const exceededTimeLimit = 50
const tooMuch = `the query took MongoDB longer than ${queryMs / 1000} s: request less, for example one day`
const notKnown = (error: unknown, reason: string): NotKnown =>
  error instanceof MongoServerError && error.code === exceededTimeLimit
    ? { reason: tooMuch, isTooMuch: true }
    : { reason: `MongoDB: ${reason}` }

/** The outcome of queries, each `bounded`. Throws if they fail through the bridge's own fault. */
const known = async <A>(asked: Promise<A>): Known<A> => {
  try {
    return E.right(await rejectAfter(queryMs + 1_000, asked))
  } catch (error) {
    const { kind, reason } = classify(error)
    if (kind === 'permanent') throw error
    return E.left(notKnown(error, reason))
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

export type ReadFitting = <Row>(
  source: Find<Row>,
  most: number,
) => Known<{ readonly rows: ReadonlyArray<Row>; readonly areAll: boolean }>

/** The first rows that fit into 8 MiB, at least one, and whether there are more. */
export const readFittingIn = (db: Db): ReadFitting => {
  const fitting = async <Row>(source: Find<Row>, most: number) => {
    const rows: Row[] = []
    let bytes = 0
    // One row more than wanted shows whether there are more.
    for await (const row of cursorOf(db, { ...source, limit: most + 1, batchSize })) {
      bytes += BSON.calculateObjectSize(row)
      if (rows.length === most || (bytes > maxBytes && rows.length > 0)) return { rows, areAll: false }
      rows.push(row as Row)
    }
    return { rows, areAll: true }
  }
  return (source, most) => known(fitting(source, most))
}
