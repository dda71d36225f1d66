import { Instant } from '../../contracts/primitives.ts'
import { type deadLetters, deadLetterHeaders as names, type TopicName } from '../../contracts/topics.ts'
import type { IncomingRecord } from '../domain/ports.ts'
import { allHeaders, type WireHeaders, type WireRecord } from './wire-record.ts'

type Headers = Pick<IncomingRecord, 'headers'>

/** Where a dead letter is sent back to, how often its record will then have been redriven, and when it failed first. */
export type Redriven = {
  readonly topic: Exclude<TopicName, typeof deadLetters.name>
  readonly redriven: number
  readonly firstFailedAt: Instant
}

const ours: ReadonlySet<string> = new Set(Object.values(names))

/** The headers that a record's producer gave it, with all repetitions. */
export const foreignHeaders = (record: IncomingRecord): WireHeaders =>
  Object.fromEntries(Object.entries(allHeaders(record)).filter(([name]) => !ours.has(name)))

/** How often a record was redriven. Any producer can write the header: what is no such count is none. */
export const timesRedriven = ({ headers }: Headers): number => {
  const text = String(headers[names.redriven] ?? '')
  return /^[0-9]{1,9}$/.test(text) ? Number(text) : 0
}

/** When a record that fails now failed first: as it says itself, where that can be. */
export const firstFailureOf = ({ headers }: Headers, failedAt: Instant): Instant => {
  const told = String(headers[names.firstFailedAt] ?? '')
  return Instant.is(told) && Date.parse(told) <= Date.parse(failedAt) ? told : failedAt
}

/** The record that a dead letter holds, as it was on its own topic: key, value and headers byte for byte. */
export const toRedriven = (letter: IncomingRecord, { topic, redriven, firstFailedAt }: Redriven): WireRecord => ({
  topic,
  key: letter.key,
  value: letter.value,
  headers: {
    ...foreignHeaders(letter),
    [names.firstFailedAt]: firstFailedAt,
    [names.redriven]: String(redriven),
  },
})
