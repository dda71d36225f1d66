import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import { botReplies, keyOf } from '../../../contracts/topics.ts'
import type { Undecodable } from '../domain/decode-json.ts'
import type { Decode } from '../domain/folded.ts'
import { sourceOf } from '../domain/identity.ts'
import type { HandleSlice } from '../domain/log/consumer.ts'
import type { DeadLetter, Failure, IncomingRecord } from '../domain/log/record.ts'
import type { Measure } from '../domain/metrics.ts'
import type { FindErased } from '../domain/person/erased.ts'
import { semaphore } from '../shared/semaphore.ts'
import { bytesOf, slicesOf } from '../shared/slices.ts'
import { changesOf, isAccountWide } from './changes.ts'
import type { ApplyChanges, Change } from './document.ts'

/** `event` is missing if the record is not an event, but for example a command. */
type Readable = {
  readonly record: IncomingRecord
  readonly changes: ReadonlyArray<Change>
  readonly event?: DomainEvent
}
type Refused = { readonly record: IncomingRecord; readonly why: Undecodable }

const largestPiece = { records: 500, bytes: 700_000 }
/**
 * The bytes of all records that are decoded at a time, of all slices. Decoded they need ten to twenty times as much.
 */
const decodedAtOnce = 3 * largestPiece.bytes
const aloneFrom = 8

const sizeOf = (records: ReadonlyArray<IncomingRecord>): number =>
  records.reduce((sum, record) => sum + bytesOf(record), 0)

/**
 * A large slice is decoded and written in pieces, so that little of it is in memory in decoded form. Records of one key
 * stay together and in order, so most documents are written once for a slice.
 */
const piecesOf = (records: ReadonlyArray<IncomingRecord>): ReadonlyArray<ReadonlyArray<IncomingRecord>> =>
  records.length <= largestPiece.records && sizeOf(records) <= largestPiece.bytes
    ? [records]
    : slicesOf([...Map.groupBy(records, ({ key }) => `${key}`).values()].flat(), largestPiece)

/** The log has an order only within each key, so an event under another key cannot be folded in order. */
const keyProblem = ({ key }: IncomingRecord, event: DomainEvent): Undecodable | undefined =>
  `${key}` === keyOf(event)
    ? undefined
    : { cause: 'wrong-key', detail: 'key: expected <accountId>/<subject> of the event' }

const eventOf = (decoded: ReturnType<Decode>): DomainEvent | undefined =>
  isRight(decoded) && 'source' in decoded.right ? decoded.right : undefined

const read = async (decode: Decode, findErased: FindErased, records: ReadonlyArray<IncomingRecord>) => {
  const readable: Array<Readable> = []
  const refused: Array<Refused> = []
  const all = records.map((record) => ({ record, decoded: decode(record) }))
  const erased = await findErased(all.flatMap(({ decoded }) => eventOf(decoded) ?? []))
  for (const { record, decoded } of all) {
    const event = eventOf(decoded)
    const why = isLeft(decoded) ? decoded.left : event && keyProblem(record, event)
    if (isRight(decoded) && why === undefined) {
      const isErased = event !== undefined && erased.has(event)
      const changes = changesOf(isErased ? { ...record, erased: true } : record, decoded.right)
      readable.push({ record, changes, ...(event && { event }) })
    }
    // Egress reports a bad command and writes its dead letter, so the projector does not.
    else if (why !== undefined && record.topic !== botReplies.name) refused.push({ record, why })
  }
  return { readable, refused }
}

/** The wanted changes of these records, without the events, which may take much memory. */
const withChanges = (readable: ReadonlyArray<Readable>, wanted: (change: Change) => boolean): ReadonlyArray<Readable> =>
  readable.flatMap(({ record, changes }) => {
    const some = changes.filter(wanted)
    return some.length > 0 ? [{ record, changes: some }] : []
  })

/**
 * Folds the records of a slice into the views. The slice resolves when the documents are durable. A record that cannot
 * be read, or cannot be stored because of its own content, becomes a dead letter and blocks nothing. An outage throws,
 * so that the slice is redelivered.
 */
export const projector = ({
  decode,
  applyChanges,
  findErased,
  classify,
  deadLetter,
  measure,
  hasRoom,
  clock,
  wallMs,
}: {
  readonly decode: Decode
  readonly applyChanges: ApplyChanges
  readonly findErased: FindErased
  /**
   * Classifies an error of applyChanges: `permanent` if the documents cannot be stored because of their own content.
   */
  readonly classify: (error: unknown) => Failure
  readonly deadLetter: DeadLetter
  readonly measure: Measure
  /** Whether more may be held in memory. */
  readonly hasRoom: () => boolean
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number
  /** The wall clock, in ms since 1970. */
  readonly wallMs: () => number
}): HandleSlice => {
  /** Applies each change of one record separately. Returns the record if one is refused. The others are kept. */
  const applyAlone = async ({ record, changes }: Readable): Promise<ReadonlyArray<Refused>> => {
    let why: Undecodable | undefined
    for (const change of changes) {
      try {
        await applyChanges([change])
      } catch (error) {
        const { kind, reason } = classify(error)
        if (kind === 'transient') throw error
        why ??= { cause: 'unstorable', detail: `${change.view}: ${reason}` }
      }
    }
    return why === undefined ? [] : [{ record, why }]
  }

  /** Splits refused records in half repeatedly, so that few are applied separately if one record is faulty. */
  const apply = async (readable: ReadonlyArray<Readable>): Promise<ReadonlyArray<Refused>> => {
    try {
      await applyChanges(readable.flatMap(({ changes }) => changes))
      return []
    } catch (error) {
      if (classify(error).kind === 'transient') throw error
    }
    const refused: Array<Refused> = []
    if (readable.length <= aloneFrom) for (const each of readable) refused.push(...(await applyAlone(each)))
    else {
      const middle = Math.ceil(readable.length / 2)
      refused.push(...(await apply(readable.slice(0, middle))), ...(await apply(readable.slice(middle))))
    }
    return refused
  }

  const take = async (piece: ReadonlyArray<IncomingRecord>) => {
    const { readable, refused } = await read(decode, findErased, piece)
    const unstorable = await apply(withChanges(readable, (change) => !isAccountWide(change)))
    for (const { event } of readable)
      if (event) measure.viewed(sourceOf(event), Math.max(0, wallMs() - Date.parse(event.time)) / 1000)
    return { refused: [...refused, ...unstorable], left: withChanges(readable, isAccountWide) }
  }
  const acquire = semaphore(decodedAtOnce)

  return async ({ records }) => {
    const began = clock()
    const refusals: Array<Refused> = []
    const ofAllChats: Array<Readable> = []
    for (const piece of piecesOf(records)) {
      // Some records need far more memory than usual once they are decoded: then each piece is decoded alone.
      using _permit = await acquire(undefined, hasRoom() ? sizeOf(piece) : decodedAtOnce)
      const { refused, left } = await take(piece)
      refusals.push(...refused)
      ofAllChats.push(...left)
    }
    const inOrder = ofAllChats.sort((a, b) => a.record.offset - b.record.offset)
    if (inOrder.length > 0) refusals.push(...(await apply(inOrder)))
    // Dead letters are written last. Otherwise each redelivery would add them again while the views are unavailable.
    for (const { record, why } of refusals) await deadLetter(record, why.cause, why.detail)
    measure.projected(records.length, (clock() - began) / 1000)
  }
}
