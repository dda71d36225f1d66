import { randomBytes } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { AccountId, Id, type Ticket } from '../../../../contracts/primitives.ts'
import { enrichments } from '../../../../contracts/topics.ts'
import type { ErasureDocument } from '../../../../contracts/views/erasure.ts'
import { nameOfErased } from '../../domain/person/erased.ts'
import type { KafkaPorts } from '../../kafka/kafka.ts'
import type { Erasures } from '../../mongo/erasures.ts'
import { type Retention, remainsOf } from '../remains.ts'
import { erasureRequestText, keysOf, markersOf, type Plan, planOf, type Request } from './plan.ts'

export type ErasePorts = {
  readonly kafka: Pick<KafkaPorts, 'append' | 'publish'>
  readonly erasures: Erasures
  readonly clock: () => Date
}

const withinMs = 30_000

/** Throws if Kafka has not acknowledged a record. Earlier records stay. The same request writes the plan again. */
const orThrow = (what: string, appended: E.Either<{ readonly reason: string }, void>) => {
  if (E.isLeft(appended))
    throw new Error(`it is not known whether Kafka has ${what} (${appended.left.reason}). Repeat the erasure`)
}

/**
 * Writes all records of a plan, again after an interruption. So tombstones and markers may be there twice. Enrichments
 * are first: after the markers are processed, only the receipt knows the keys. An interrupted rebuild reads no markers,
 * so its documents are emptied here. It reads the markers when it is resumed.
 */
const write = async ({ kafka, erasures }: ErasePorts, receipt: ErasureDocument): Promise<ErasureDocument> => {
  const { plan, ...rest } = receipt
  if (plan === undefined) return receipt
  for (const key of plan.enrichments) {
    const tombstone = { topic: enrichments.name, key, value: null, headers: {} } as const
    orThrow('a tombstone', await kafka.append(tombstone, withinMs))
  }
  for (const marker of markersOf(receipt, plan)) orThrow('a marker', await kafka.publish(marker, withinMs))
  await erasures.emptyCopies(receipt.accountId, plan)
  const published = { ...rest, state: 'published' as const }
  await erasures.save(published)
  return published
}

/** The interrupted erasures of the same request, which are finished before anything else is erased. */
export const unfinishedErasures = async (
  { erasures }: Pick<ErasePorts, 'erasures'>,
  request: Request,
): Promise<ReadonlyArray<ErasureDocument>> => {
  const hash = await erasures.hmac()
  return erasures.find({ state: 'started', request: hash(erasureRequestText(request)) })
}

/** Finishes interrupted erasures. */
export const resume = async (
  ports: ErasePorts,
  unfinished: ReadonlyArray<ErasureDocument>,
): Promise<ReadonlyArray<ErasureDocument>> => {
  const receipts: ErasureDocument[] = []
  for (const receipt of unfinished) receipts.push(await write(ports, receipt))
  return receipts
}

const right = <A>(decoded: E.Either<unknown, A>): A => {
  if (E.isLeft(decoded)) throw new Error('an id breaks its contract')
  return decoded.right
}

type Asker = {
  readonly requestedBy: string
  readonly ticket?: Ticket | undefined
  readonly retention: Retention
  /** When the search for the person began. Events that the bridge received before are erased. Default: now. */
  readonly requestedAt?: Date
  /** The newest event of a person erased for inactivity. The receipt's id depends on it, so there is one receipt. */
  readonly since?: Date
}

/** The receipt of a new erasure, with its plan. */
export const receiptOf = async (
  { erasures, clock }: Pick<ErasePorts, 'erasures' | 'clock'>,
  request: Request,
  { person, enrichments: keys, found, unnamed }: Plan,
  { requestedBy, ticket, retention, requestedAt = clock(), since }: Asker,
): Promise<ErasureDocument> => {
  const hash = await erasures.hmac()
  const ids = (values: ReadonlyArray<string>) => values.map((value) => right(Id.decode(value)))
  const plan = { chats: ids(person.chats), clients: ids(person.clients), enrichments: [...keys] }
  const id =
    since === undefined
      ? randomBytes(8)
      : Buffer.from(hash(`${erasureRequestText(request)} ${since.toISOString()}`), 'base64url')
  const _id = id.toString('hex', 0, 8)
  const accountId = right(AccountId.decode(request.accountId))
  return {
    _id,
    accountId,
    requestedBy,
    requestedAt,
    ...(ticket !== undefined && { ticket }),
    state: 'started',
    request: hash(erasureRequestText(request)),
    keys: keysOf(accountId, plan, person).map((each) => hash(nameOfErased(each))),
    markers: markersOf({ _id, accountId, requestedAt }, plan).length,
    found: { ...found },
    ...(unnamed.length > 0 && { unnamed: unnamed.length }),
    remains: [...remainsOf(requestedAt, retention)],
    plan,
  }
}

const union = <A>(...lists: ReadonlyArray<ReadonlyArray<A>>): A[] => [...new Set(lists.flat())]

/**
 * Plans an interrupted erasure again, because the person may have written since. The old plan stays a part of it: its
 * markers may have emptied the documents that led to its chats already.
 */
const planAgain = async (
  ports: ErasePorts,
  request: Request,
  receipt: ErasureDocument,
  asker: Pick<Asker, 'retention' | 'requestedAt'>,
): Promise<ErasureDocument> => {
  const { plan: before, requestedBy, ticket, _id } = receipt
  if (before === undefined) return receipt
  const known = [
    ...before.chats.map((value) => ({ kind: 'chat' as const, value })),
    ...before.clients.map((value) => ({ kind: 'client' as const, value })),
  ]
  const found = await planOf(ports.erasures, request, known)
  const now = await receiptOf(ports, request, found, { ...asker, requestedBy, ticket })
  const hash = await ports.erasures.hmac()
  const ofOthers = new Set(
    found.person.ofOthers.map(({ kind, value }) =>
      hash(nameOfErased({ of: kind, key: `${request.accountId}/${value}` })),
    ),
  )
  const plan = {
    chats: union(before.chats, now.plan?.chats ?? []),
    clients: union(before.clients, now.plan?.clients ?? []),
    enrichments: union(before.enrichments, now.plan?.enrichments ?? []),
  }
  const counts = union(Object.keys(receipt.found), Object.keys(now.found)).map((view) => [
    view,
    Math.max(receipt.found[view] ?? 0, now.found[view] ?? 0),
  ])
  const again = {
    ...now,
    _id,
    plan,
    // Somebody who is left out may have used a number since that only the person had before.
    keys: union(receipt.keys, now.keys).filter((key) => !ofOthers.has(key)),
    markers: markersOf({ ...now, _id }, plan).length,
    found: Object.fromEntries(counts),
  }
  await ports.erasures.save(again)
  return again
}

/** Finishes interrupted erasures of a request, with a new plan. */
export const finishInterrupted = async (
  ports: ErasePorts,
  request: Request,
  unfinished: ReadonlyArray<ErasureDocument>,
  asker: Pick<Asker, 'retention' | 'requestedAt'>,
): Promise<ReadonlyArray<ErasureDocument>> => {
  const planned: ErasureDocument[] = []
  for (const receipt of unfinished) planned.push(await planAgain(ports, request, receipt, asker))
  return resume(ports, planned)
}

/** Saves the plan, then writes it. After a crash at any point, the same request finishes the erasure. */
export const erase = async (
  ports: ErasePorts,
  request: Request,
  plan: Plan,
  asker: Asker,
): Promise<ErasureDocument> => {
  const receipt = await receiptOf(ports, request, plan, asker)
  await ports.erasures.save(receipt)
  return write(ports, receipt)
}
