import type { AccountId } from '../../contracts/primitives.ts'
import { seenEarlierLength } from '../../contracts/views/applied.ts'
import { type DriftDocument, mostDriftSeen } from '../../contracts/views/drift.ts'
import { type Finding, type JsonType, misplaced, notUnderstood } from '../domain/drift.ts'
import type { Change, Recorded } from '../domain/ports.ts'
import type { QuarantinedRequest } from '../domain/quarantined.ts'
import { wireNameOf } from '../domain/requests.ts'
import { advance, digest, isIn } from './applied.ts'
import { timelineId } from './timeline.ts'

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
  if (request !== undefined && isIn(seen, request)) return { ...current, applied: inOrder(applied, current.applied) }
  return {
    ...current,
    ...(isEarlier(current, at, first) && first()),
    count: current.count + 1,
    types: types.includes(type) ? types : [...types, type].sort(),
    firstAt: at < current.firstAt ? at : current.firstAt,
    lastAt: at > current.lastAt ? at : current.lastAt,
    applied: inOrder(applied, current.applied),
    ...(request !== undefined && { seen: (seen + request).slice(-mostDriftSeen * seenEarlierLength) }),
  }
}

const changeOf = (request: DriftRequest, entry: Entry, type: JsonType, first: First): Change => ({
  view: 'drift',
  id: entry._id,
  evolve: (current) => [evolveDrift(current as DriftDocument | undefined, request, entry, type, first)],
})

const changesOfFindings = (request: DriftRequest, findings: ReadonlyArray<Finding>): ReadonlyArray<Change> =>
  findings.map(({ kind, api, event, path, type, expected, example }) => {
    const { accountId } = request
    const _id = `${accountId}/${kind}/${api}/${event}/${path}`
    const first = () => ({ ...(expected !== undefined && { expected }), example: example() })
    return {
      ...changeOf(request, { _id, accountId, kind, api, event, path }, type, first),
      instead: changeOf(request, { _id: `${accountId}/others`, accountId, kind: 'others' }, type, () => ({})),
    }
  })

/** The changes for the parts of an event's request that its contract does not know. */
export const driftOfEvent = ({ event, topic, partition, offset, epoch }: Recorded): ReadonlyArray<Change> => {
  const { accountId, extra }: { readonly accountId: AccountId; readonly extra?: unknown } = event.data
  const wire = wireNameOf(event.type)
  if (extra === undefined || wire === undefined) return []
  const place = { topic, partition, offset, ...(epoch !== undefined && { epoch }) }
  const firstOf = { ...place, _id: timelineId(event) }
  const changes = changesOfFindings({ accountId, at: event.time, place }, misplaced(wire, extra))
  return changes.map((change) => ({ ...change, firstOf }))
}

/** The changes for the parts of a request in quarantine that were not understood. */
export const driftOfRequest = (request: QuarantinedRequest, place: Place): ReadonlyArray<Change> => {
  const { accountId, id, receivedAt } = request
  const driftRequest = { accountId, at: new Date(receivedAt), place, request: digest(id) }
  return changesOfFindings(driftRequest, notUnderstood(request))
}
