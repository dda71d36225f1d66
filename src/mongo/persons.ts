import type { Db } from 'mongodb'
import { archiveNameOf } from '../../contracts/topics.ts'
import type { FindLinks, Identity } from '../domain/person.ts'
import { isObject } from '../shared/json.ts'
import { chunks } from '../shared/slices.ts'
import { inAnyCase } from './indexes.ts'

type Fields = Partial<Readonly<Record<Identity['kind'], ReadonlyArray<string>>>>

const ofCaller: Fields = { visitor: ['visitor.number'], email: ['visitor.email'], phone: ['visitor.phone'] }
const ofVisitor: Fields = { ...ofCaller, userToken: ['userToken'] }
/** By view, the fields that link one person's chats and clients. */
const fieldsOf: Readonly<Record<string, Fields>> = {
  chats: { chat: ['chatId'], ...ofVisitor },
  calls: { chat: ['chatId'], ...ofCaller, phone: ['visitor.phone', 'phone'] },
  clients: { client: ['clientId'], ...ofVisitor },
  offline_messages: { chat: ['chatId'], ...ofVisitor },
  conversations: { chat: ['chatId'], client: ['clientId'] },
  sessions: { chat: ['chatId'], client: ['clientId'], visitor: ['visitorNumber'] },
}

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

const identitiesIn = (document: unknown, fields: Fields): ReadonlyArray<Identity> =>
  Object.entries(fields).flatMap(([kind, paths]) =>
    paths.flatMap((path) => {
      const value = valueAt(document, path)
      return typeof value === 'string' && value !== '' ? [{ kind: kind as Identity['kind'], value }] : []
    }),
  )

/** The field that forms a view's `_id` together with the account. Other fields have an index. */
const keyOf: Readonly<Record<string, string>> = {
  chats: 'chatId',
  calls: 'chatId',
  conversations: 'chatId',
  clients: 'clientId',
}

const condition = (view: string, accountId: string, field: string, values: ReadonlyArray<string>) =>
  keyOf[view] === field
    ? { _id: { $in: values.map((value) => `${accountId}/${value}`) } }
    : { accountId, [field]: { $in: [...values] } }

/** A condition for each field of a view that may have one of these identities. */
const conditionsOf = (fields: Fields, view: string, accountId: string, identities: ReadonlyArray<Identity>) =>
  Object.entries(fields).flatMap(([kind, paths]) => {
    const values = identities.flatMap((it) => (it.kind === kind ? [it.value] : []))
    return values.length === 0 ? [] : paths.map((path) => condition(view, accountId, path, values))
  })

const isEmail = ({ kind }: Identity) => kind === 'email'

/**
 * The queries of each view that find a person by these identities. Email addresses match in capital and small letters.
 */
export const linkQueries = (accountId: string, identities: ReadonlyArray<Identity>) =>
  Object.entries(fieldsOf).flatMap(([view, fields]) => {
    const exact = conditionsOf(
      fields,
      view,
      accountId,
      identities.filter((it) => !isEmail(it)),
    )
    const anyCase = conditionsOf(fields, view, accountId, identities.filter(isEmail))
    return [
      ...(exact.length > 0 ? [{ view, fields, conditions: exact, options: {} }] : []),
      ...(anyCase.length > 0 ? [{ view, fields, conditions: anyCase, options: { collation: inAnyCase } }] : []),
    ]
  })

export const findLinksIn =
  (db: Db, accountId: string): FindLinks =>
  async (identities) => {
    const queries = chunks(identities, idsAtOnce).flatMap((some) => linkQueries(accountId, some))
    const all = queries.map(async ({ view, fields, conditions, options }) => {
      const paths = ['accountId', ...Object.values(fields).flat()]
      const projection = Object.fromEntries(paths.map((path) => [path, 1]))
      const found = await db
        .collection<{ _id: string; accountId: string }>(view)
        .find({ $or: conditions }, { ...options, projection, maxTimeMS: queryMs })
        .toArray()
      // The case-insensitive query for `acme` also finds documents of an account `Acme`.
      return found.filter((document) => document.accountId === accountId).map((it) => identitiesIn(it, fields))
    })
    return (await Promise.all(all)).flat()
  }

const ofChats = ['chats', 'calls', 'conversations', 'offline_messages', 'deliveries', 'sessions', 'timeline'] as const

export const findDocumentsIn = (db: Db): FindDocuments =>
  async function* (accountId, { chats, clients }) {
    const places = [
      ...ofChats.map((view) => ({
        view,
        ids: chats,
        where: (ids: ReadonlyArray<string>) => condition(view, accountId, 'chatId', ids),
      })),
      {
        view: 'clients',
        ids: clients,
        where: (ids: ReadonlyArray<string>) => condition('clients', accountId, 'clientId', ids),
      },
      {
        view: 'timeline',
        ids: clients,
        where: (ids: ReadonlyArray<string>) => ({
          ...condition('timeline', accountId, 'clientId', ids),
          topic: { $in: ['clients', archiveNameOf('clients')] },
        }),
      },
    ]
    for (const { view, ids, where } of places)
      for (const some of chunks(ids, idsAtOnce)) {
        const found = db.collection<{ _id: string }>(view).find(where(some), { maxTimeMS: queryMs })
        for await (const document of found) yield { view, document }
      }
  }
