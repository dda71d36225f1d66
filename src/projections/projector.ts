import { setImmediate as afterOthers } from 'node:timers/promises'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { DomainEvent } from '../../contracts/events/index.ts'
import { botReplies } from '../../contracts/topics.ts'
import type { Undecodable } from '../domain/decode-json.ts'
import type {
  ApplyChanges,
  Change,
  DeadLetter,
  Failure,
  HandleSlice,
  IncomingRecord,
  Measure,
} from '../domain/ports.ts'
import { serial } from '../shared/serial.ts'
import { slicesOf } from '../shared/slices.ts'
import { changesOf, type Decode } from './decoded.ts'

type Deps = {
  readonly decode: Decode
  readonly applyChanges: ApplyChanges
  /**
   * Whose fault an error of applyChanges is: `permanent` where the documents cannot be stored because of themselves.
   */
  readonly classify: (error: unknown) => Failure
  readonly deadLetter: DeadLetter
  readonly measure: Pick<Measure, 'projected' | 'viewed'>
  /** Whether more may be held in memory. */
  readonly hasRoom: () => boolean
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number
  /** The wall clock, in ms since 1970. */
  readonly wallMs: () => number
}

/** `event` where it is one, and not a command. */
type Readable = {
  readonly record: IncomingRecord
  readonly changes: ReadonlyArray<Change>
  readonly event?: Pick<DomainEvent, 'source' | 'time'>
}
type Pieces = ReadonlyArray<ReadonlyArray<IncomingRecord>>
type Refused = { readonly record: IncomingRecord; readonly why: Undecodable }

const atOnce = { records: 500, bytes: 1024 * 1024 }
const partsUnderWay = 3
const aloneFrom = 8
/** webhooks, bot, egress, …: by what an event was taken in. */
const sourceOf = ({ source }: Pick<DomainEvent, 'source'>) => source.slice(source.lastIndexOf('/') + 1)
const isEntry = ({ view, where }: Change): boolean => view === 'timeline' && where === undefined

const read = (decode: Decode, records: ReadonlyArray<IncomingRecord>) => {
  const readable: Array<Readable> = []
  const refused: Array<Refused> = []
  for (const record of records) {
    const decoded = decode(record)
    if (!isLeft(decoded)) {
      const changes = changesOf(record, decoded.right)
      readable.push({ record, changes, ...('source' in decoded.right && { event: decoded.right }) })
    }
    // Egress tells of a bad command, and keeps it, for all.
    else if (record.topic !== botReplies.name) refused.push({ record, why: decoded.left })
  }
  return { readable, refused }
}

/**
 * Takes the records of a slice into the views; the slice resolves once they are durable. What cannot be read, or
 * cannot be stored through its own fault, becomes a dead letter and holds up nothing. An outage throws, so that the
 * slice comes again.
 */
export const projector = ({
  decode,
  applyChanges,
  classify,
  deadLetter,
  measure,
  hasRoom,
  clock,
  wallMs,
}: Deps): HandleSlice => {
  /** What was refused of one record, each change tried by itself: the others of the same record are kept. */
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

  /** Halves what is refused, so that of a large slice with one faulty record little is applied by itself. */
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

  /** What is left to apply; all of it where that fails, to be judged with the rest. */
  const applyEntries = (readable: ReadonlyArray<Readable>): Promise<ReadonlyArray<Readable>> =>
    applyChanges(readable.flatMap(({ changes }) => changes.filter(isEntry))).then(
      () => readable.map((each) => ({ ...each, changes: each.changes.filter((change) => !isEntry(change)) })),
      () => readable,
    )

  /**
   * Reads piece after piece, and writes its entries in timeline, which no later one adds to, while it reads the next; `left` are
   * those for which there is no more room, since a record may take many times its bytes once it is read.
   */
  const readMany = async (pieces: Pieces) => {
    const refused: Array<Refused> = []
    const parts: Array<Promise<ReadonlyArray<Readable>>> = []
    for (const piece of pieces) {
      if (parts.length > 0 && !hasRoom()) break
      const some = read(decode, piece)
      refused.push(...some.refused)
      parts.push(pieces.length > 1 ? applyEntries(some.readable) : Promise.resolve(some.readable))
      await parts.at(-partsUnderWay)
      await afterOthers()
    }
    return { readable: (await Promise.all(parts)).flat(), refused, left: pieces.slice(parts.length) }
  }

  const take = async (pieces: Pieces) => {
    const { readable, refused, left } = await readMany(pieces)
    const unstorable = await apply(readable)
    for (const { event } of readable)
      if (event) measure.viewed(sourceOf(event), Math.max(0, wallMs() - Date.parse(event.time)) / 1000)
    return { refused: [...refused, ...unstorable], left }
  }
  /** Where there is no room, one slice after the other takes a piece: what all others have read is folded by then. */
  const oneByOne = serial()

  return async ({ records }) => {
    const began = clock()
    const refusals: Array<Refused> = []
    for (let pieces = slicesOf(records, atOnce); pieces.length > 0; ) {
      const some = pieces
      const { refused, left } = await (hasRoom() ? take(some) : oneByOne(() => take(some)))
      refusals.push(...refused)
      pieces = left
    }
    // Dead letters last: were the views away, each redelivery would add them again.
    for (const { record, why } of refusals) await deadLetter(record, why.cause, why.detail)
    measure.projected(records.length, (clock() - began) / 1000)
  }
}
