import type { DomainEvent } from '../../../../contracts/events/index.ts'
import { DomainEvent as AnyEvent } from '../../../../contracts/events/index.ts'
import { ceType, keyOf, topicOf, topicOfName } from '../../../../contracts/topics.ts'
import type { Identity } from './ids.ts'
import { marksByType, split, withBlanks } from './personal-data.ts'

/**
 * What an erasure remembers: a record's key with its kind, because a chat and a client may have the same number, and
 * the other identities by which the person was found. Each begins with the account: `acme/2037`.
 */
export type ErasedKey = { readonly of: Identity['kind'] | 'enrichment'; readonly key: string }

/** The text of a key from which its HMAC is computed. Email addresses are the same in capital and small letters. */
export const nameOfErased = ({ of, key }: ErasedKey): string => `${of} ${of === 'email' ? key.toLowerCase() : key}`

/** The key by which an erasure names the chat, client or enrichment of a record. */
export const erasedKeyOf = (topic: string, key: string): ErasedKey => {
  const { key: kind } = topicOfName(topic) ?? {}
  return { of: kind === 'client' || kind === 'enrichment' ? kind : 'chat', key }
}

/** When each of these keys was last erased, by `nameOfErased`. Keys that were never erased are missing. */
export type ErasedAt = (keys: ReadonlyArray<ErasedKey>) => Promise<ReadonlyMap<string, Date>>

/** Those of the events that the bridge received before their person was erased. */
export type FindErased = (events: ReadonlyArray<DomainEvent>) => Promise<ReadonlySet<DomainEvent>>

type Deps = {
  readonly erasedAt: ErasedAt
  /** When the newest erasure was requested; undefined if there is none. */
  readonly newestErasure: () => Promise<Date | undefined>
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number
}

const isErasure = ({ type }: DomainEvent) => type === 'ClientErased' || type === 'ChatErased'

/** When the bridge received an event, in ms since 1970. An event of a quarantined request has two times. */
const receivedAt = ({ time, receivedTime = time }: DomainEvent) => Math.min(Date.parse(time), Date.parse(receivedTime))

type Named = {
  readonly clientId?: string
  readonly userToken?: string
  readonly visitor?: { readonly number?: string; readonly email?: string; readonly phone?: string }
}

/** The keys under which an erasure may have remembered the person of an event. */
const keysOf = (event: DomainEvent): ReadonlyArray<ErasedKey> => {
  const { accountId } = event.data
  const { clientId, userToken, visitor = {} }: Named = event.data
  const identities: ReadonlyArray<readonly [Identity['kind'], string | undefined]> = [
    ['client', clientId],
    ['visitor', visitor.number],
    ['email', visitor.email],
    ['phone', visitor.phone],
    ['userToken', userToken],
  ]
  return [
    erasedKeyOf(topicOf(event).name, keyOf(event)),
    ...identities.flatMap(([of, value]) => (value === undefined ? [] : [{ of, key: `${accountId}/${value}` }])),
  ]
}

const freshMs = 1_000

/**
 * Finds the events that arrive after the marker of an erasure although the bridge received them before it: from a
 * journal, by a redrive, or from quarantine. The marker cannot remove what comes after it, so the reader must.
 * An event that is newer than every erasure needs no question. What is known of the newest erasure is at most a second
 * old, and is asked again at each marker.
 */
export const erasedFinder = ({ erasedAt, newestErasure, clock }: Deps): FindErased => {
  let known: { readonly newest: number; readonly at: number } | undefined
  const newestOf = async (isMarked: boolean): Promise<number> => {
    if (known !== undefined && !isMarked && clock() - known.at < freshMs) return known.newest
    const at = clock()
    known = { newest: (await newestErasure())?.getTime() ?? Number.NEGATIVE_INFINITY, at }
    return known.newest
  }
  return async (events) => {
    if (events.length === 0) return new Set()
    const newest = await newestOf(events.some(isErasure))
    const older = events.filter((event) => !isErasure(event) && receivedAt(event) < newest)
    if (older.length === 0) return new Set()
    const named = older.map((event) => ({ event, keys: keysOf(event) }))
    const keys = new Map(named.flatMap((each) => each.keys.map((key) => [nameOfErased(key), key] as const)))
    const at = await erasedAt([...keys.values()])
    if (at.size === 0) return new Set()
    const isErased = (event: DomainEvent, key: ErasedKey) =>
      receivedAt(event) < (at.get(nameOfErased(key))?.getTime() ?? Number.NEGATIVE_INFINITY)
    return new Set(named.flatMap((each) => (each.keys.some((key) => isErased(each.event, key)) ? [each.event] : [])))
  }
}

/** An event with nothing personal in its data. Its codec still accepts it. */
export const withBlankPersonalData = (event: DomainEvent): DomainEvent => {
  const marks = marksByType.get(ceType(event.type))
  if (marks === undefined) throw new Error(`${event.type} has no marks of personal data`)
  const emptied = { ...event, data: withBlanks(marks, split(marks, event.data).open ?? {}) }
  if (!AnyEvent.is(emptied)) throw new Error(`${event.type} breaks its contract without personal data`)
  return emptied
}

const kindOfField: Readonly<Record<string, Identity['kind']>> = {
  chatId: 'chat',
  clientId: 'client',
  visitorNumber: 'visitor',
  email: 'email',
  phone: 'phone',
  userToken: 'userToken',
}

/** The keys under which an erasure may have remembered the person of an enrichment: `acme/email:ann@example.com`. */
export const keysOfEnrichment = (key: string): ReadonlyArray<ErasedKey> => {
  const [, account, field = '', value] = /^([^/]+)\/([^:]+):(.+)$/s.exec(key) ?? []
  const of = kindOfField[field]
  return [{ of: 'enrichment', key }, ...(of === undefined ? [] : [{ of, key: `${account}/${value}` }])]
}

/** An enrichment of this key, which Kafka received at this time, in ms since 1970. */
type Published = { readonly key: string; readonly timestamp: number }

/** Those of the enrichments that Kafka received before their person was erased. */
export type FindErasedEnrichments = <P extends Published>(published: ReadonlyArray<P>) => Promise<ReadonlySet<P>>

/**
 * Finds enrichments that are older than the erasure of their person: a consumer that reads the topic again, or late,
 * must not store them.
 */
export const erasedEnrichments =
  ({ erasedAt, newestErasure }: Pick<Deps, 'erasedAt' | 'newestErasure'>): FindErasedEnrichments =>
  async (published) => {
    const newest = (await newestErasure())?.getTime() ?? Number.NEGATIVE_INFINITY
    const older = published.filter(({ timestamp }) => timestamp < newest)
    if (older.length === 0) return new Set()
    const at = await erasedAt(older.flatMap(({ key }) => keysOfEnrichment(key)))
    const isErased = (timestamp: number) => (key: ErasedKey) => {
      const erased = at.get(nameOfErased(key))?.getTime()
      return erased !== undefined && timestamp < erased
    }
    return new Set(older.filter(({ key, timestamp }) => keysOfEnrichment(key).some(isErased(timestamp))))
  }
