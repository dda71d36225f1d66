import { isDeepStrictEqual } from 'node:util'
import type { Documents, Exchange, LogRecord } from './history.ts'

export type Verdict = {
  /** Events that were answered 200. */
  readonly accepted: number
  /** Requests with another response, and requests without a response. */
  readonly refused: number
  readonly unanswered: number
  /** Accepted events that are not in the log. */
  readonly lost: ReadonlyArray<string>
  /** Records that repeat an earlier record with the same identity. */
  readonly duplicated: number
  /** The largest number of records with one identity. */
  readonly mostCopies: number
  /** Events that are in the log under more than one identity. */
  readonly renamed: ReadonlyArray<string>
  /** Events before an earlier event of their chat, which had been answered before they were sent. */
  readonly inverted: ReadonlyArray<string>
  /** The longest time without any 200, in milliseconds. */
  readonly longestStall: number
}

const nameOf = ({ chat, seq }: { readonly chat: string; readonly seq: number | undefined }) => `${chat} #${seq}`

const firstRecords = (log: ReadonlyArray<LogRecord>) => {
  const first = new Map<string, LogRecord>()
  for (const record of [...log].sort((a, b) => a.offset - b.offset))
    if (record.seq !== undefined && !first.has(nameOf(record))) first.set(nameOf(record), record)
  return first
}

type Times = { sentAt: number; answeredAt: number }

/** For each event: when it was first sent, and when it was first answered 200 (Infinity if never). */
const timesOf = (history: ReadonlyArray<Exchange>) => {
  const times = new Map<string, Times>()
  for (const { sentAt, endedAt, status, ...event } of history) {
    const known = times.get(nameOf(event)) ?? { sentAt, answeredAt: Number.POSITIVE_INFINITY }
    const answeredAt = status === 200 ? Math.min(known.answeredAt, endedAt) : known.answeredAt
    times.set(nameOf(event), { sentAt: Math.min(known.sentAt, sentAt), answeredAt })
  }
  return times
}

const inversions = (first: ReadonlyMap<string, LogRecord>, times: ReadonlyMap<string, Times>) => {
  const chats = Map.groupBy(first.values(), ({ chat }) => chat)
  return [...chats.values()].flatMap((records) => {
    let answeredLater = Number.POSITIVE_INFINITY
    return records
      .sort((a, b) => b.offset - a.offset)
      .filter((record) => {
        const { sentAt = 0, answeredAt = Number.POSITIVE_INFINITY } = times.get(nameOf(record)) ?? {}
        const inverted = answeredLater < sentAt
        answeredLater = Math.min(answeredLater, answeredAt)
        return inverted
      })
      .map(nameOf)
  })
}

const stall = (history: ReadonlyArray<Exchange>) => {
  const times = history.flatMap(({ status, endedAt }) => (status === 200 ? [endedAt] : [])).sort((a, b) => a - b)
  return times.reduce((longest, time, i) => Math.max(longest, time - (times[i - 1] ?? time)), 0)
}

/** Compares the responses that clients got with the log. All records of a chat are in one partition. */
export const check = (history: ReadonlyArray<Exchange>, log: ReadonlyArray<LogRecord>): Verdict => {
  const first = firstRecords(log)
  const times = timesOf(history)
  const ids = Map.groupBy(
    log.filter(({ seq }) => seq !== undefined),
    nameOf,
  )
  const copies = Map.groupBy(log, ({ chat, id }) => `${chat} ${id}`)
  const accepted = [...times]
    .filter(([, { answeredAt }]) => answeredAt < Number.POSITIVE_INFINITY)
    .map(([name]) => name)
  return {
    accepted: accepted.length,
    refused: history.filter(({ status }) => status !== undefined && status !== 200).length,
    unanswered: history.filter(({ status }) => status === undefined).length,
    lost: accepted.filter((name) => !first.has(name)),
    duplicated: log.length - copies.size,
    mostCopies: [...copies.values()].reduce((most, { length }) => Math.max(most, length), 0),
    renamed: [...ids].filter(([, records]) => new Set(records.map(({ id }) => id)).size > 1).map(([name]) => name),
    inverted: inversions(first, times),
    longestStall: Math.round(stall(history)),
  }
}

const fieldsOf = (document: unknown): Readonly<Record<string, unknown>> => ({ ...Object(document) })

const differing = (expected: unknown, actual: unknown): string => {
  if (expected === undefined) return 'should not be there'
  if (actual === undefined) return 'is missing'
  const [one, other] = [fieldsOf(expected), fieldsOf(actual)]
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  return names.filter((name) => !isDeepStrictEqual(one[name], other[name])).join(', ')
}

/** The documents that differ, are missing or are there although they should not be, and the fields that differ. */
export const wrongDocuments = (expected: Documents, actual: Documents): ReadonlyArray<string> =>
  [...new Set([...Object.keys(expected), ...Object.keys(actual)])]
    .filter((id) => !isDeepStrictEqual(expected[id], actual[id]))
    .map((id) => `${id}: ${differing(expected[id], actual[id])}`)
