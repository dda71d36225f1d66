import type { Db } from 'mongodb'
import type { Identity } from '../domain/person/ids.ts'
import type { FindLinks } from '../domain/person/person.ts'
import { fewestDigits, phoneDigits } from '../domain/person/phone.ts'
import { isObject } from '../shared/json.ts'
import { chunks } from '../shared/slices.ts'
import { foldedOfName, foldedViews } from '../views/index.ts'
import { inAnyCase } from '../views/indexes.ts'
import type { LinkFields } from '../views/persons.ts'

export type PersonDocument = { readonly view: string; readonly document: Readonly<Record<string, unknown>> }

/** One person's documents, found by the chats and clients of the person. */
export type FindDocuments = (
  accountId: string,
  of: { readonly chats: ReadonlyArray<string>; readonly clients: ReadonlyArray<string> },
) => AsyncIterable<PersonDocument>

/** The time limit of each query of an operator's request. Each query has an index. */
const queryMs = 60_000
const idsAtOnce = 300

const valueAt = (document: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (isObject(value) ? Reflect.get(value, name) : undefined), document)

const identitiesIn = (document: unknown, fields: LinkFields): ReadonlyArray<Identity> =>
  Object.entries(fields).flatMap(([kind, paths]) =>
    paths.flatMap((path) => {
      const value = valueAt(document, path)
      return typeof value === 'string' && value !== '' ? [{ kind: kind as Identity['kind'], value }] : []
    }),
  )

const condition = (view: string, accountId: string, field: string, values: ReadonlyArray<string | RegExp>) =>
  foldedOfName(view)?.key === field
    ? { _id: { $in: values.map((value) => `${accountId}/${value}`) } }
    : { accountId, [field]: { $in: [...values] } }

/** Finds phone numbers that end in the same digits, with any signs between them. A short number is found as a whole. */
const phoneEndingAlike = (value: string): string | RegExp => {
  const digits = phoneDigits(value)
  if (digits === '') return value
  const last = `${[...digits.slice(-fewestDigits)].join('[^0-9]*')}[^0-9]*$`
  return new RegExp(digits.length < fewestDigits ? `^[^0-9]*(0[^0-9]*0[^0-9]*)?${last}` : last)
}

type Wanted = { readonly kind: Identity['kind']; readonly value: string | RegExp }

/** A condition for each field of a view that may have one of these identities. */
const conditionsOf = (fields: LinkFields, view: string, accountId: string, identities: ReadonlyArray<Wanted>) =>
  Object.entries(fields).flatMap(([kind, paths]) => {
    const values = identities.flatMap((it) => (it.kind === kind ? [it.value] : []))
    return values.length === 0 ? [] : paths.map((path) => condition(view, accountId, path, values))
  })

/** The views with fields that link one person's chats and clients. */
const linked = foldedViews.flatMap(({ name: view, person }) =>
  person?.links === undefined ? [] : [{ view, fields: person.links }],
)

const isEmail = ({ kind }: Identity) => kind === 'email'

/**
 * The queries of each view that find a person by these identities. Email addresses match in capital and small letters,
 * phone numbers by their last digits if that is asked for: then the query looks at every number of the account's index.
 */
export const linkQueries = (
  accountId: string,
  identities: ReadonlyArray<Identity>,
  phones?: Parameters<FindLinks>[1],
) =>
  linked.flatMap(({ view, fields }) => {
    const others: ReadonlyArray<Wanted> = identities
      .filter((it) => !isEmail(it))
      .map((it) =>
        it.kind === 'phone' && phones === 'ending alike' ? { ...it, value: phoneEndingAlike(it.value) } : it,
      )
    const exact = conditionsOf(fields, view, accountId, others)
    const anyCase = conditionsOf(fields, view, accountId, identities.filter(isEmail))
    return [
      ...(exact.length > 0 ? [{ view, fields, conditions: exact, options: {} }] : []),
      ...(anyCase.length > 0 ? [{ view, fields, conditions: anyCase, options: { collation: inAnyCase } }] : []),
    ]
  })

/** A collection with documents of a view. */
export type PlaceOfView = { readonly view: string; readonly collection: string }

/** `copies`: collections beside the live views that are searched too. */
export const findLinksIn =
  (db: Db, accountId: string, copies: () => Promise<ReadonlyArray<PlaceOfView>>): FindLinks =>
  async (identities, phones) => {
    const others = await copies()
    const queries = chunks(identities, idsAtOnce)
      .flatMap((some) => linkQueries(accountId, some, phones))
      .flatMap((query) => [
        { ...query, collection: query.view },
        ...others.flatMap(({ view, collection }) => (view === query.view ? [{ ...query, collection }] : [])),
      ])
    const all = queries.map(async ({ collection, fields, conditions, options }) => {
      const paths = ['accountId', ...Object.values(fields).flat()]
      const projection = Object.fromEntries(paths.map((path) => [path, 1]))
      const found = await db
        .collection<{ _id: string; accountId: string }>(collection)
        .find({ $or: conditions }, { ...options, projection, maxTimeMS: queryMs })
        .toArray()
      // The case-insensitive query for `acme` also finds documents of an account `Acme`.
      return found.filter((document) => document.accountId === accountId).map((it) => identitiesIn(it, fields))
    })
    return (await Promise.all(all)).flat()
  }

/** Where the documents about a person are, in the order of the list of views. */
const places = foldedViews.flatMap(({ name: view, person }) =>
  (person?.documents ?? []).map((place) => ({ view, ...place })),
)

/** A person's documents of one view, in the collection that has them. */
export const documentsOf = async function* (
  db: Db,
  { view, collection }: PlaceOfView,
  ...[accountId, { chats, clients }]: Parameters<FindDocuments>
): AsyncGenerator<PersonDocument['document']> {
  for (const { field, where } of places.filter((place) => place.view === view))
    for (const some of chunks(field === 'chatId' ? chats : clients, idsAtOnce)) {
      const wanted = { ...condition(view, accountId, field, some), ...where }
      yield* db.collection<{ _id: string }>(collection).find(wanted, { maxTimeMS: queryMs })
    }
}

export const findDocumentsIn = (db: Db): FindDocuments =>
  async function* (...person) {
    for (const { name: view } of foldedViews)
      for await (const document of documentsOf(db, { view, collection: view }, ...person)) yield { view, document }
  }

const isCertain = (kind: string) => kind === 'client' || kind === 'visitor'

/**
 * About how many persons an account has who are not erased: the most different ids of clients or of visitors that one
 * view has. Rather too few than too many, because a person may have both kinds of id. 0 if counting takes too long.
 */
export const countPersonsIn = async (db: Db, accountId: string): Promise<number> => {
  const counts = linked.flatMap(({ view, fields }) =>
    Object.entries(fields).flatMap(([kind, paths]) =>
      (isCertain(kind) ? paths : []).map(async (path) => {
        const stages = [
          { $match: { accountId, erased: { $ne: true }, [path]: { $exists: true } } },
          { $group: { _id: `$${path}` } },
          { $count: 'persons' },
        ]
        const [found] = await db
          .collection(view)
          .aggregate<{ persons: number }>(stages, { maxTimeMS: queryMs })
          .toArray()
        return found?.persons ?? 0
      }),
    ),
  )
  return Math.max(0, ...(await Promise.allSettled(counts)).map((it) => (it.status === 'fulfilled' ? it.value : 0)))
}
