import * as E from 'fp-ts/lib/Either.js'
import { type DomainEvent, ErasureEvent } from '../../../../contracts/events/index.ts'
import { sourceAt } from '../../../../contracts/source.ts'
import { chatTopics, clients as clientsTopic } from '../../../../contracts/topics.ts'
import type { ErasureDocument } from '../../../../contracts/views/erasure.ts'
import type { ErasedKey } from '../../domain/person/erased.ts'
import {
  type Also,
  alsoText,
  type Certain,
  type Identity,
  identityName,
  nameInAnyForm,
} from '../../domain/person/ids.ts'
import { enrichmentKeys, type Person, resolvePerson } from '../../domain/person/person.ts'
import type { Erasures } from '../../mongo/erasures.ts'
import type { PersonDocument } from '../../mongo/persons.ts'

/** The person to erase, who else is the same person, and who is not although ids lead there. */
export type Request = {
  readonly accountId: string
  readonly start: Identity
  readonly also: ReadonlyArray<Also>
  readonly except?: ReadonlyArray<Certain>
}

export type Plan = {
  readonly person: Person
  readonly enrichments: ReadonlyArray<string>
  /** The number of documents by view, and by collection of a copy. */
  readonly found: Readonly<Record<string, number>>
  /** The chats, clients and visitors of the request that no document and no enrichment names. */
  readonly unnamed: ReadonlyArray<Certain>
}

export const erasureRequestText = ({ accountId, start, also, except = [] }: Request): string =>
  JSON.stringify([
    accountId,
    start.kind,
    start.value,
    also.map(alsoText).sort(),
    ...(except.length > 0 ? [except.map(alsoText).sort()] : []),
  ])

/** True if the request leaves out whom it names. */
export const contradictsItself = ({ start, also, except = [] }: Request): boolean => {
  const named = new Set([start, ...also].map((each) => (typeof each === 'string' ? each : identityName(each))))
  return except.some((each) => named.has(identityName(each)))
}

/** What the bridge has about a person. `known` are other identities of the person. Changes nothing. */
export const planOf = async (
  erasures: Pick<Erasures, 'findLinks' | 'findDocuments' | 'findCopies' | 'enriched'>,
  { accountId, start, also, except }: Request,
  known: ReadonlyArray<Identity> = [],
): Promise<Plan> => {
  const person = await resolvePerson(erasures.findLinks(accountId), start, also, known, except)
  const found: Record<string, number> = {}
  const named = new Set<string>()
  const count = (where: string, { chatId, clientId }: PersonDocument['document']) => {
    found[where] = (found[where] ?? 0) + 1
    named.add(`chat ${chatId}`).add(`client ${clientId}`)
  }
  for await (const { view, document } of erasures.findDocuments(accountId, person)) count(view, document)
  for await (const { collection, document } of erasures.findCopies(accountId, person)) count(collection, document)
  const enriched = await erasures.enriched(enrichmentKeys(accountId, person))
  if (enriched.length > 0) found.enrichments = enriched.length
  const keys = enriched.map(({ _id }) => _id)
  const unnamed = person.unnamed.filter((it) => !named.has(identityName(it)))
  return { person, enrichments: keys, found, unnamed: withoutKeys(accountId, unnamed, keys) }
}

/** Those that have no enrichment under one of these keys. */
export const withoutKeys = (
  accountId: string,
  ids: ReadonlyArray<Certain>,
  keys: ReadonlyArray<string>,
): ReadonlyArray<Certain> =>
  ids.filter((it) => !enrichmentKeys(accountId, { identities: [it] }).some((key) => keys.includes(key)))

/** True if the bridge has nothing about the person. */
export const isOfNobody = ({ person, found }: Plan): boolean =>
  Object.keys(found).length + person.chats.length + person.clients.length === 0

type Written = NonNullable<ErasureDocument['plan']>

/**
 * By which keys an event is found that was received before the erasure and arrives after its markers, and by which an
 * enrichment of the person. Of an address that was not followed only the enrichment is the person's.
 */
export const keysOf = (
  accountId: string,
  { chats, clients, enrichments: keys }: Written,
  { followed, identities, ofOthers }: Pick<Person, 'followed' | 'identities' | 'ofOthers'>,
): ReadonlyArray<ErasedKey> => {
  const covered = new Set([...followed, ...ofOthers].map(nameInAnyForm))
  const others = identities.filter((it) => !covered.has(nameInAnyForm(it)))
  const enriched = new Set([...keys, ...enrichmentKeys(accountId, { identities: others })])
  return [
    ...chats.map((id) => ({ of: 'chat' as const, key: `${accountId}/${id}` })),
    ...clients.map((id) => ({ of: 'client' as const, key: `${accountId}/${id}` })),
    ...[...enriched].map((key) => ({ of: 'enrichment' as const, key })),
    ...followed.flatMap(({ kind, value }) =>
      kind === 'chat' || kind === 'client' ? [] : [{ of: kind, key: `${accountId}/${value}` }],
    ),
  ]
}

/** The markers of an erasure. A marker has the same id in every plan of the erasure. */
export const markersOf = (
  { _id: erasureId, accountId, requestedAt }: Pick<ErasureDocument, '_id' | 'accountId' | 'requestedAt'>,
  { chats, clients }: Written,
): ReadonlyArray<DomainEvent> => {
  const clientId = clients.length === 1 ? clients[0] : undefined
  const subjects = [
    ...chats.flatMap((chatId) =>
      chatTopics.map(({ name: topic }) => ({
        type: 'ChatErased',
        subject: chatId,
        data: { chatId, topic, ...(clientId && { clientId }) },
      })),
    ),
    ...clients.map((id) => ({ type: 'ClientErased', subject: id, data: { clientId: id } })),
  ]
  return subjects.map(({ type, subject, data }) => {
    const source = sourceAt(accountId, 'erasures')
    const of = 'topic' in data ? data.topic : clientsTopic.name
    const attributes = { type, id: `${erasureId}-${of}-${subject}`, source, subject, time: requestedAt.toISOString() }
    const event = ErasureEvent.decode({ ...attributes, data: { accountId, erasureId, ...data } })
    if (E.isLeft(event)) throw new Error(`a marker of the erasure ${erasureId} breaks its contract`)
    return event.right
  })
}
