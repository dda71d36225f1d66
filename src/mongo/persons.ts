import type { Db } from 'mongodb'
import type { FindLinks, Identity } from '../domain/person.ts'
import { isObject } from '../shared/json.ts'
import { chunks } from '../shared/slices.ts'

type Fields = Partial<Readonly<Record<Identity['kind'], ReadonlyArray<string>>>>

const ofVisitor: Fields = {
  visitor: ['visitor.number'],
  email: ['visitor.email'],
  phone: ['visitor.phone'],
  userToken: ['userToken'],
}
/** Where documents of a view have what links one person's chats and clients. */
const fieldsOf: Readonly<Record<string, Fields>> = {
  chats: { chat: ['chatId'], ...ofVisitor },
  calls: { chat: ['chatId'], ...ofVisitor, phone: ['visitor.phone', 'phone'] },
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

/** An operator's question; not every field that it asks for has an index. */
const queryMs = 300_000
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

/** Views whose `_id` is the chat's own key: others are found by the field, which has an index there. */
const isKeyedByChat = (view: string) => view === 'chats' || view === 'calls' || view === 'conversations'

const condition = (view: string, accountId: string, field: string, values: ReadonlyArray<string>) =>
  isKeyedByChat(view) && field === 'chatId'
    ? { _id: { $in: values.map((value) => `${accountId}/${value}`) } }
    : { accountId, [field]: { $in: [...values] } }

export const findLinksIn =
  (db: Db, accountId: string): FindLinks =>
  async (identities) => {
    const all = Object.entries(fieldsOf).flatMap(([view, fields]) =>
      chunks(identities, idsAtOnce).map(async (some) => {
        const conditions = Object.entries(fields).flatMap(([kind, paths]) => {
          const values = some.flatMap((it) => (it.kind === kind ? [it.value] : []))
          return values.length === 0 ? [] : paths.map((path) => condition(view, accountId, path, values))
        })
        if (conditions.length === 0) return []
        const projection = Object.fromEntries(Object.values(fields).flatMap((paths) => paths.map((path) => [path, 1])))
        const found = db.collection<{ _id: string }>(view).find({ $or: conditions }, { projection, maxTimeMS: queryMs })
        return (await found.toArray()).map((document) => identitiesIn(document, fields))
      }),
    )
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
        where: (ids: ReadonlyArray<string>) => ({ _id: { $in: ids.map((id) => `${accountId}/${id}`) } }),
      },
      {
        view: 'timeline',
        ids: clients,
        where: (ids: ReadonlyArray<string>) => ({
          ...condition('timeline', accountId, 'clientId', ids),
          topic: 'clients',
        }),
      },
    ]
    for (const { view, ids, where } of places)
      for (const some of chunks(ids, idsAtOnce)) {
        const found = db.collection<{ _id: string }>(view).find(where(some), { maxTimeMS: queryMs })
        for await (const document of found) yield { view, document }
      }
  }
