import * as E from 'fp-ts/lib/Either.js'
import type { DomainEvent } from '../../../../contracts/events/index.ts'
import { keyOf, quarantine, topicOf } from '../../../../contracts/topics.ts'
import { traceparentOf } from '../../adapters/tracing.ts'
import type { Account } from '../../domain/accounts.ts'
import { contentHashes } from '../../domain/content-hash.ts'
import { problemText } from '../../domain/decode-request.ts'
import type { IncomingRecord, Publish } from '../../domain/log/record.ts'
import { erasedKeyOf, nameOfErased } from '../../domain/person/erased.ts'
import { quarantineHeadersOf } from '../../domain/quarantined.ts'
import { readJson } from '../../domain/read-json.ts'
import { decodeBotEvent, decodeWebhook } from '../../domain/requests.ts'
import type { Redrives } from '../../mongo/redrives.ts'
import { type BatchPorts, type NotSent, type RecordEvent, type Sending, sendInBatches, type Why } from './batches.ts'
import { type CommonFilters, matchesCommon, placeOf } from './dead-letters.ts'
import { erasedSince } from './guard.ts'

/** Times are those of the request. */
export type QuarantineFilters = CommonFilters & { readonly reason?: string }

type Understood = { readonly id: string; readonly event: DomainEvent }

/** The event of a request, or why the request stays in quarantine. */
type Read = E.Either<Why, Understood>

export const matchesRequest =
  ({ reason, ...common }: QuarantineFilters) =>
  (record: IncomingRecord): boolean => {
    const headers = quarantineHeadersOf(record)
    const at = E.isRight(headers) ? Date.parse(headers.right.received_at) : Number.NaN
    return (
      matchesCommon(common, { id: placeOf(record), account: String(record.key), at }) &&
      (reason === undefined || (E.isRight(headers) && headers.right.reason === reason))
    )
  }

const unreadable = (problem: Parameters<typeof problemText>[0]): Read =>
  E.left({ kind: 'unreadable', reason: problemText(problem) })

/**
 * Reads a request of quarantine as ingress reads a new request. A webhook's event has the id of the quarantined record,
 * so each repetition gives the same id. Pure.
 */
export const requestReader = (accounts: ReadonlyArray<Account>) => {
  const accountOf = new Map<string, Account>(accounts.map((account) => [account.id, account]))
  const contentHash = contentHashes(accounts)
  return (record: IncomingRecord): Read => {
    const headers = quarantineHeadersOf(record)
    if (E.isLeft(headers)) return E.left({ kind: 'foreign' })
    const { id, interface: api, received_at: receivedAt, reason } = headers.right
    if (reason === 'too-large') return E.left({ kind: 'cut' })
    const account = accountOf.get(String(record.key))
    if (account === undefined) return E.left({ kind: 'unknown-account' })
    const body = record.value ?? Buffer.alloc(0)
    const json = readJson(body)
    if (E.isLeft(json)) return unreadable({ kind: 'invalid', problems: [json.left] })
    const receipt = { accountId: account.id, receivedAt, traceparent: traceparentOf('') }
    const event =
      api === 'bot'
        ? decodeBotEvent(json.right, receipt)
        : decodeWebhook(json.right, {
            ...receipt,
            id,
            ...(account.webhooks !== undefined && { contentHash: contentHash(account, body) }),
          })
    if (E.isLeft(event)) return unreadable(event.left)
    return E.right({ id, event: { ...event.right.event, receivedTime: receivedAt } })
  }
}

/** What `redrive quarantine` says of a request. `event`: what it is understood as. */
export type RequestEvent = RecordEvent<{
  readonly request: { readonly id: string; readonly account: string; readonly event?: DomainEvent['type'] }
}>

type Ports = BatchPorts<Pick<RequestEvent, 'request'>> & {
  readonly publish: Publish
  readonly redrives: Pick<Redrives, 'find' | 'remember' | 'lease' | 'erasedAt'>
  readonly accounts: ReadonlyArray<Account>
}

const erasedKey = (event: DomainEvent) => erasedKeyOf(topicOf(event).name, keyOf(event))

const isErased = (event: DomainEvent, erased: ReadonlyMap<string, Date>): boolean =>
  Date.parse(event.time) < (erased.get(nameOfErased(erasedKey(event)))?.getTime() ?? 0)

const withinMs = 20_000
export const requestMemoryIdOf = (id: string) => `quarantine/${id}`

type Matching = { readonly record: IncomingRecord; readonly read: Read }
type Chosen = Matching & { readonly read: E.Right<Understood> }

/** Publishes the events of quarantined requests that this version understands, in order. Each is marked as late. */
export const requeueQuarantined = (
  { publish, accounts, ...ports }: Ports,
  sending: Sending<QuarantineFilters>,
  interrupted: AbortSignal,
) => {
  const isWanted = matchesRequest(sending.filters)
  const readRequest = requestReader(accounts)
  const chosenBefore = new Set<string>()
  const readSlice = async (records: ReadonlyArray<IncomingRecord>) => {
    const matching = records.filter(isWanted).map((record) => ({ record, read: readRequest(record) }))
    const understood = matching.flatMap(({ read }) => (E.isRight(read) ? [read.right] : []))
    const [before, erased] = await Promise.all([
      ports.redrives.find(understood.map(({ id }) => requestMemoryIdOf(id))),
      ports.redrives.erasedAt(understood.map(({ event }) => erasedKey(event))),
    ])
    const decide = ({ record, read }: Matching): E.Either<NotSent, Chosen> => {
      if (E.isLeft(read)) return E.left({ result: 'kept', why: read.left })
      const { id, event } = read.right
      if (chosenBefore.has(id) || before.has(requestMemoryIdOf(id))) return E.left({ result: 'before' })
      if (isErased(event, erased)) return E.left({ result: 'kept', why: erasedSince })
      chosenBefore.add(id)
      return E.right({ record, read })
    }
    return { matching, decide }
  }
  return sendInBatches<Matching, Chosen, Pick<RequestEvent, 'request'>>(
    ports,
    {
      topic: quarantine.name,
      read: readSlice,
      stopped: async (batch) => {
        const erased = await ports.redrives.erasedAt(batch.map(({ read }) => erasedKey(read.right.event)))
        return ({ read }) => (isErased(read.right.event, erased) ? erasedSince : undefined)
      },
      send: ({ read }) => publish(read.right.event, withinMs),
      memoryIdOf: ({ read }) => requestMemoryIdOf(read.right.id),
      about: ({ record, read }) => ({
        request: {
          id: placeOf(record),
          account: String(record.key),
          ...(E.isRight(read) && { event: read.right.event.type }),
        },
      }),
    },
    sending,
    interrupted,
  )
}
