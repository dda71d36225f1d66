import type { DomainEvent } from '../../../contracts/events/index.ts'
import type { AccountId } from '../../../contracts/primitives.ts'
import { quarantine } from '../../../contracts/topics.ts'
import { seenEarlierLength } from '../../../contracts/views/applied.ts'
import { drift as contract, type DriftDocument, maxDriftEntries, maxDriftSeen } from '../../../contracts/views/drift.ts'
import { type Finding, fieldsAside, type JsonType, notUnderstood } from '../domain/drift.ts'
import { accountIdIn } from '../domain/identity.ts'
import type { QuarantinedRequest } from '../domain/quarantined.ts'
import { wireOf } from '../domain/requests.ts'
import { advance, digest, hasDigest } from './applied.ts'
import type { Change, Recorded } from './document.ts'
import { never } from './erase.ts'
import { by } from './indexes.ts'
import { timeline, timelineId } from './timeline.ts'
import { eventTypes, folded, type Reads, type RecordedEvent } from './view.ts'

type Place = Pick<Recorded, 'topic' | 'partition' | 'offset' | 'epoch'>

/** The account, the time and the record position of a request. `request` is the digest of its id, if in quarantine. */
type DriftRequest = {
  readonly accountId: AccountId
  readonly at: Date
  readonly place: Place
  readonly request?: string
}

type Entry = Pick<DriftDocument, '_id' | 'accountId' | 'kind' | 'api' | 'event' | 'path'>
/** The fields that an entry has from its earliest request only. */
type First = () => Pick<DriftDocument, 'expected' | 'example'>

const isEarlier = (current: DriftDocument, at: Date, first: First): boolean =>
  at < current.firstAt ||
  (at.getTime() === current.firstAt.getTime() && (first().example ?? '') < (current.example ?? ''))

/** Sorted by name, so that the document's bytes do not depend on the order in which partitions are read. */
const inOrder = (applied: DriftDocument['applied'], before: DriftDocument['applied']): DriftDocument['applied'] =>
  Object.keys(applied).length === Object.keys(before).length
    ? applied
    : Object.fromEntries(Object.entries(applied).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Does not depend on the order in which partitions are read: the example is from the earliest request. */
const evolveDrift = (
  current: DriftDocument | undefined,
  { at, place, request }: DriftRequest,
  entry: Entry,
  type: JsonType,
  first: First,
): DriftDocument => {
  const applied = advance(current?.applied, place)
  if (current === undefined) {
    const seen = request === undefined ? {} : { seen: request }
    return { ...entry, count: 1, types: [type], firstAt: at, lastAt: at, ...first(), ...seen, applied: applied ?? {} }
  }
  if (applied === undefined) return current
  const { seen = '', types } = current
  if (request !== undefined && hasDigest(seen, request))
    return { ...current, applied: inOrder(applied, current.applied) }
  return {
    ...current,
    ...(isEarlier(current, at, first) && first()),
    count: current.count + 1,
    types: types.includes(type) ? types : [...types, type].sort(),
    firstAt: at < current.firstAt ? at : current.firstAt,
    lastAt: at > current.lastAt ? at : current.lastAt,
    applied: inOrder(applied, current.applied),
    ...(request !== undefined && { seen: (seen + request).slice(-maxDriftSeen * seenEarlierLength) }),
  }
}

/** The id of the document that counts what an account has no room for. */
const othersOf = (accountId: string) => `${accountId}/others`

/** A change of `drift`, and what decides whether it is made. */
export type DriftChange = Change & {
  /** Applied instead, if this change would create a document for which the account has no room. */
  readonly instead?: Change
  /** If set, only an event's first record makes this change: the one that timeline's entry of this id names, if any. */
  readonly firstOf?: Place & { readonly _id: string }
}

const changeOf = (request: DriftRequest, entry: Entry, type: JsonType, first: First): Change => ({
  view: 'drift',
  id: entry._id,
  evolve: (current) => [evolveDrift(current as DriftDocument | undefined, request, entry, type, first)],
})

const changesOfFindings = (request: DriftRequest, findings: ReadonlyArray<Finding>): ReadonlyArray<DriftChange> =>
  findings.map(({ kind, api, event, path, type, expected, example }) => {
    const { accountId } = request
    const _id = `${accountId}/${kind}/${api}/${event}/${path}`
    const first = () => ({ ...(expected !== undefined && { expected }), example: example() })
    return {
      ...changeOf(request, { _id, accountId, kind, api, event, path }, type, first),
      instead: changeOf(request, { _id: othersOf(accountId), accountId, kind: 'others' }, type, () => ({})),
    }
  })

/** The changes for the parts of an event's request that its contract does not know. */
export const driftOfEvent = ({ event, topic, partition, offset, epoch }: Recorded): ReadonlyArray<DriftChange> => {
  const { accountId, extra }: { readonly accountId: AccountId; readonly extra?: unknown } = event.data
  const wire = wireOf(event.type)
  if (extra === undefined || wire === undefined) return []
  const place = { topic, partition, offset, ...(epoch !== undefined && { epoch }) }
  const firstOf = { topic, partition, offset, _id: timelineId(event) }
  const changes = changesOfFindings({ accountId, at: event.time, place }, fieldsAside(wire, extra))
  return changes.map((change) => ({ ...change, firstOf }))
}

/** The changes for the parts of a request in quarantine that were not understood. */
export const driftOfRequest = (request: QuarantinedRequest, place: Place): ReadonlyArray<DriftChange> => {
  const { accountId, id, receivedAt } = request
  const driftRequest = { accountId, at: new Date(receivedAt), place, request: digest(id) }
  return changesOfFindings(driftRequest, notUnderstood(request))
}

/**
 * Chooses the changes to apply. An event that was appended twice has one entry in timeline. The entry names the first
 * record, so the other records are not counted. One document of each account is reserved for `others`. Within a
 * process, the next call reads after the previous one has written. Processes that reach the limit at the same time may
 * each add the new documents of one slice.
 */
export const chooseDrift =
  (most = maxDriftEntries - 1) =>
  async (given: ReadonlyArray<Change>, { find, countOthers }: Reads): Promise<ReadonlyArray<Change>> => {
    const changes: ReadonlyArray<DriftChange> = given
    const events = [...new Set(changes.flatMap(({ firstOf }) => firstOf?._id ?? []))]
    const entries = await find(timeline.name, events, ['topic', 'partition', 'offset'])
    const found = new Map(entries.map((entry) => [entry._id, entry]))
    const isFirst = ({ firstOf }: DriftChange) => {
      const entry = firstOf && found.get(firstOf._id)
      if (entry === undefined || firstOf === undefined) return true
      return entry.topic === firstOf.topic && entry.partition === firstOf.partition && entry.offset === firstOf.offset
    }
    const firsts = changes.filter(isFirst)
    const ids = [...new Set(firsts.map(({ id }) => id))]
    const known = new Set((await find(contract.name, ids, [])).map(({ _id }) => _id))
    const fresh = ids.filter((id) => !known.has(id))
    for (const [accountId, wanted] of Map.groupBy(fresh, accountIdIn)) {
      const left = Math.max(0, most - (await countOthers(contract.name, accountId, othersOf(accountId))))
      for (const id of wanted.slice(0, left)) known.add(id)
    }
    return firsts.map((change) => (known.has(change.id) ? change : (change.instead ?? change)))
  }

const eachEvent = (changes: (record: RecordedEvent) => ReadonlyArray<Change>) =>
  Object.fromEntries(eventTypes.map((type) => [type, changes])) as {
    readonly [T in DomainEvent['type']]: typeof changes
  }

/** A document has data of all chats, so that its example is of the earliest request. */
export const drift = folded(contract, {
  isAccountWide: true,
  folds: {
    ...eachEvent(({ unconverted }) =>
      driftOfEvent({ ...unconverted, event: unconverted.beforeErasure ?? unconverted.event }),
    ),
    QuarantinedRequest: ({ request, ...place }) => driftOfRequest(request, place),
  },
  erasure: never,
  choose: chooseDrift(),
  overflowOf: (id) => othersOf(accountIdIn(id)),
  // `quarantine` may have deleted requests that an entry counts. A rebuilt entry never has them.
  countsDeleted: ({ firstAt, kind }, now) =>
    firstAt instanceof Date && kind !== 'unknown-field' && firstAt.getTime() < now - quarantine.cleanUp.deleteAfterMs,
  indexes: [by('kind')],
})

/** The stages that count an account's entries by kind. */
export const entriesByKind = (accountIds: ReadonlyArray<string>) => [
  { $match: { accountId: { $in: [...accountIds] } } },
  { $group: { _id: { account: '$accountId', kind: '$kind' }, entries: { $sum: 1 } } },
  { $replaceWith: { $mergeObjects: ['$_id', { entries: '$entries' }] } },
]
