import * as E from 'fp-ts/lib/Either.js'
import { enrichments, segmentMarker } from '../../../contracts/topics.ts'
import type { Ranges } from '../domain/log/positions.ts'
import type { Append, OutgoingRecord } from '../domain/log/record.ts'
import type { Log } from '../shared/log.ts'
import { repeat } from '../shared/repeat.ts'
import { dayMs, type Sleep } from '../shared/time.ts'

const everyMs = 6 * 60 * 60 * 1000
const againMs = 60_000
const appendWithinMs = 30_000

const tombstone = (key: string): OutgoingRecord => ({ topic: enrichments.name, key, value: null, headers: {} })

type Running = {
  readonly append: Append
  readonly sleep: Sleep
  readonly reasonOf: (error: unknown) => string
  readonly log: Pick<Log, 'debug' | 'info'>
}

/** Works every six hours, and a minute after a failure, of which `failed` says what could not be done. */
const everySixHours = (
  work: (signal: AbortSignal) => Promise<void>,
  failed: string,
  { sleep, reasonOf, log }: Omit<Running, 'append'>,
): (() => Promise<void>) =>
  repeat(async (signal) => {
    const reason = await work(signal).then(() => undefined, reasonOf)
    if (reason === undefined) return everyMs
    log.debug({ reason }, failed)
    return againMs
  }, sleep)

/**
 * Removes the note of each chat that has been over for the retention time, every six hours: topic and collection keep
 * the newest record of a key for ever otherwise. Returns a function that stops it.
 */
export const removeOldNotes = ({
  days,
  oldNotes,
  now,
  append,
  ...running
}: Running & {
  readonly days: number
  /** The keys of the notes of chats without an event since then. */
  readonly oldNotes: (before: Date) => AsyncIterable<string>
  /** The time in ms, as the servers have it. Rejects if their clocks do not agree. */
  readonly now: () => Promise<number>
}) => {
  const remove = async (signal: AbortSignal) => {
    const before = new Date((await now()) - days * dayMs)
    let removed = 0
    for await (const key of oldNotes(before)) {
      if (signal.aborted) return
      const appended = await append(tombstone(key), appendWithinMs)
      if (E.isLeft(appended)) throw new Error(appended.left.reason)
      removed += 1
    }
    if (removed > 0) running.log.info({ notes: removed }, 'notes of chats that have been over for long were removed')
  }
  return everySixHours(remove, 'old notes of chats could not be removed', running)
}

/**
 * Appends a marker to each partition of `enrichments` that has records, every six hours. Kafka compacts closed segments
 * only, and closes a segment when a record arrives after a day. Otherwise removed enrichments would stay in a quiet
 * partition. Returns a function that stops it.
 */
export const rollSegments = ({ ranges, append, ...running }: Running & { readonly ranges: Ranges }) => {
  const mark = async () => {
    const used = [...(await ranges(enrichments.name))].filter(([, { low, high }]) => high > low)
    const outcomes = await Promise.all(
      used.map(([partition]) => append({ ...tombstone(segmentMarker), partition }, appendWithinMs)),
    )
    const failed = outcomes.find(E.isLeft)
    if (failed !== undefined) throw new Error(failed.left.reason)
  }
  return everySixHours(mark, 'the segments of enrichments could not be marked', running)
}
