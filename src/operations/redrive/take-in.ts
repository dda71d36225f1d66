import * as E from 'fp-ts/lib/Either.js'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import { QuarantineHeaders } from '../../../contracts/records.ts'
import { keyOf, quarantine, topicOf } from '../../../contracts/topics.ts'
import type { Account } from '../../domain/accounts.ts'
import { contentHashes } from '../../domain/content-hash.ts'
import { problemText } from '../../domain/decode-request.ts'
import type { IncomingRecord, Now, Publish } from '../../domain/ports.ts'
import { readJson } from '../../domain/read-json.ts'
import { decodeBotEvent, decodeWebhook } from '../../domain/requests.ts'
import { traceparentOf } from '../../domain/tracing.ts'
import type { ReadTopic } from '../../kafka/read-topic.ts'
import { nameOfErased } from '../../mongo/erasures.ts'
import type { Redrives } from '../../mongo/redrives.ts'
import { printable } from '../../shared/printable.ts'
import { chunks } from '../../shared/slices.ts'
import { partOf, placeOf } from './dead-letters.ts'
import { erasedKeyOf } from './guard.ts'
import type { pace } from './send.ts'

/** Which requests are meant: all that fit everything that is given. Times in ms since 1970, of the request. */
export type QuarantineFilters = {
  readonly account?: string
  readonly reason?: string
  /** Inclusive. */
  readonly since?: number
  /** Exclusive. */
  readonly until?: number
  /** Places on quarantine: `partition/offset`. */
  readonly id?: ReadonlyArray<string>
}

/** A request that has become its event, or why it stays. */
type Read = E.Either<string, { readonly id: string; readonly event: DomainEvent }>

const headersOf = ({ headers }: IncomingRecord) =>
  QuarantineHeaders.decode(Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.toString()])))

export const isMeant =
  ({ account, reason, since, until, id }: QuarantineFilters) =>
  (record: IncomingRecord): boolean => {
    const headers = headersOf(record)
    const at = E.isRight(headers) ? Date.parse(headers.right.received_at) : Number.NaN
    return (
      (account === undefined || String(record.key) === account) &&
      (reason === undefined || (E.isRight(headers) && headers.right.reason === reason)) &&
      (since === undefined || at >= since) &&
      (until === undefined || at < until) &&
      (id === undefined || id.includes(placeOf(record)))
    )
  }

/**
 * Reads a request of quarantine as ingress reads one today. A webhook's event has the id of the record, so that it has the same id
 * however often this is done. Pure.
 */
export const requestReader = (accounts: ReadonlyArray<Account>) => {
  const accountOf = new Map<string, Account>(accounts.map((account) => [account.id, account]))
  const contentHash = contentHashes(accounts)
  return (record: IncomingRecord): Read => {
    const headers = headersOf(record)
    if (E.isLeft(headers)) return E.left('its headers are not those that the bridge writes')
    const { id, interface: api, received_at: receivedAt, reason } = headers.right
    if (reason === 'too-large') return E.left('only its beginning was kept')
    const account = accountOf.get(String(record.key))
    if (account === undefined) return E.left('its account is not in the accounts file')
    const body = record.value ?? Buffer.alloc(0)
    const json = readJson(body)
    if (E.isLeft(json)) return E.left(problemText({ kind: 'invalid', problems: [json.left] }))
    const receipt = { accountId: account.id, receivedAt, traceparent: traceparentOf('') }
    const event =
      api === 'bot'
        ? decodeBotEvent(json.right, receipt)
        : decodeWebhook(json.right, {
            ...receipt,
            id,
            ...(account.webhooks !== undefined && { contentHash: contentHash(account, body) }),
          })
    if (E.isLeft(event)) return E.left(problemText(event.left))
    return E.right({ id, event: { ...event.right, receivedTime: receivedAt } })
  }
}

const results = ['taken in', 'would be taken in', 'taken in before', 'stays', 'failed'] as const
type SendResult = (typeof results)[number]
type Tally = Readonly<Record<SendResult, number>>

/** `3 taken in, 1 stays`: only what there was of. */
export const takenText = (tally: Tally): string =>
  results
    .filter((result) => tally[result] > 0)
    .map((result) => `${tally[result]} ${result}`)
    .join(', ') || 'no request fits'

type Ports = {
  readonly readTopic: ReadTopic
  readonly publish: Publish
  readonly redrives: Pick<Redrives, 'find' | 'remember' | 'erasedAt'>
  readonly accounts: ReadonlyArray<Account>
  readonly pace: ReturnType<typeof pace>
  readonly now: Now
  readonly out: (line: string) => void
}

export type TakingIn = {
  readonly filters: QuarantineFilters
  /** Requests that are taken in at most. */
  readonly limit: number
  readonly dryRun: boolean
}

/** `trouble`: why it ended early, where that was not wanted. */
type TakenIn = { readonly tally: Tally; readonly limited: boolean; readonly trouble?: string }

const erasedKey = (event: DomainEvent) => erasedKeyOf(topicOf(event).name, keyOf(event))

const withinMs = 20_000
const memoryIdOf = (id: string) => `quarantine/${id}`

/**
 * Publishes the events of those requests in quarantine that are understood today, in their order, each marked as late. Each is
 * remembered once Kafka has it. If this ends between the two, the same again publishes the same `ce_id`, which counts once.
 */
export const takeIn = async (
  { readTopic, publish, redrives, accounts, pace, now, out }: Ports,
  { filters, limit, dryRun }: TakingIn,
  interrupted: AbortSignal,
): Promise<TakenIn> => {
  const enough = new AbortController()
  const signal = AbortSignal.any([interrupted, enough.signal])
  const isWanted = isMeant(filters)
  const readRequest = requestReader(accounts)
  const tally: Record<SendResult, number> = {
    'taken in': 0,
    'would be taken in': 0,
    'taken in before': 0,
    stays: 0,
    failed: 0,
  }
  const done = new Set<string>()
  let trouble: string | undefined

  const halt = (reason: string) => {
    trouble ??= reason
    enough.abort()
  }
  const tell = (result: SendResult, record: IncomingRecord, what: string) => {
    tally[result]++
    if (result !== 'taken in before')
      out([result.padEnd(17), placeOf(record), String(record.key), what].map(printable).join('  '))
  }
  const left = () => limit - tally['taken in'] - tally['would be taken in'] - tally.failed

  type Chosen = { readonly record: IncomingRecord; readonly id: string; readonly event: DomainEvent }
  const publishAll = async (chosen: ReadonlyArray<Chosen>) => {
    await pace.next(chosen.length, signal)
    if (signal.aborted) return
    const outcomes = await Promise.all(
      chosen.map(async (each) => ({ ...each, sent: await publish(each.event, withinMs) })),
    )
    for (const { record, event, sent } of outcomes)
      if (E.isRight(sent)) tell('taken in', record, event.type)
      else {
        tell('failed', record, sent.left.reason)
        if (sent.left.kind === 'transient') halt(`Kafka: ${sent.left.reason}`)
      }
    const ids = outcomes.filter(({ sent }) => E.isRight(sent)).map(({ id }) => memoryIdOf(id))
    await redrives
      .remember(ids, now())
      .catch(() => halt(`MongoDB does not answer: ${ids.length} of these were taken in, and that is not remembered`))
  }
  const onSlice = async (records: ReadonlyArray<IncomingRecord>) => {
    const read = records.filter(isWanted).map((record) => ({ record, request: readRequest(record) }))
    const known = read.flatMap(({ request }) => (E.isRight(request) ? [memoryIdOf(request.right.id)] : []))
    const keys = read.flatMap(({ request }) => (E.isRight(request) ? [erasedKey(request.right.event)] : []))
    const [before, erased] = await Promise.all([redrives.find(known), redrives.erasedAt(keys)]).catch(() => [])
    if (before === undefined || erased === undefined)
      return halt('MongoDB does not answer, and what was taken in before is not known')
    const chosen = read.flatMap(({ record, request }): ReadonlyArray<Chosen> => {
      if (E.isLeft(request)) {
        tell('stays', record, request.left)
        return []
      }
      const { id, event } = request.right
      if (done.has(id) || before.has(memoryIdOf(id))) {
        tell('taken in before', record, event.type)
        return []
      }
      const erasedAt = erased.get(nameOfErased(erasedKey(event)))?.getTime() ?? 0
      if (Date.parse(event.time) < erasedAt) {
        tell('stays', record, 'the person was erased since')
        return []
      }
      done.add(id)
      return [{ record, id, event }]
    })
    for (const some of chunks(chosen, pace.atOnce)) {
      const batch = some.slice(0, left())
      if (signal.aborted) return
      if (dryRun) for (const { record, event } of batch) tell('would be taken in', record, event.type)
      else await publishAll(batch)
      if (left() === 0) enough.abort()
    }
  }
  const result = await readTopic(quarantine.name, onSlice, { part: partOf(filters.id), signal })
  if (E.isLeft(result)) halt(result.left.reason)
  return { tally, limited: left() === 0, ...(trouble !== undefined && { trouble }) }
}
