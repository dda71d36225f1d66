import * as E from 'fp-ts/lib/Either.js'
import type { Instant } from '../../../contracts/primitives.ts'
import { QuarantineHeaders } from '../../../contracts/records.ts'
import { quarantineHeaders } from '../../../contracts/topics.ts'
import type { IncomingRecord } from '../../domain/ports.ts'
import { printable } from '../../shared/printable.ts'
import { type Letter, placeOf } from './letter.ts'

export type Row = ReadonlyArray<string>

/** When a letter was sent back; undefined where that is not known. */
export type SentAt = ReadonlyArray<Instant> | undefined

const longest = 120

const cell = (text: string) => {
  const safe = printable(text)
  return safe.length > longest ? `${safe.slice(0, longest - 1)}…` : safe
}

const redriven = (sentAt: SentAt) => {
  if (sentAt === undefined) return '?'
  const last = sentAt.at(-1)
  return last === undefined ? 'no' : `${sentAt.length > 1 ? `${sentAt.length} times, last ` : ''}${last}`
}

export const originOf = ({ origin }: Letter): string => `${origin.topic}/${origin.partition}/${origin.offset}`

export const letterHead: Row = ['ID', 'ORIGIN', 'CONSUMER', 'CAUSE', 'FAILED AT', 'BEFORE', 'REDRIVEN', 'DETAIL']

/** `BEFORE` is how often its record had been redriven when it failed, `REDRIVEN` when the letter itself was. */
export const letterRow = (letter: Letter, sentAt: SentAt): Row =>
  [
    letter.id,
    originOf(letter),
    letter.consumer,
    letter.cause,
    letter.failedAt,
    String(letter.redriven),
    redriven(sentAt),
    letter.detail,
  ].map(cell)

export const quarantineHead: Row = ['ID', 'ACCOUNT', 'INTERFACE', 'RECEIVED AT', 'REASON', 'BYTES', 'PROBLEMS']

/** A record of quarantine; one that ingress has not written says so. */
export const quarantineRow = (record: IncomingRecord): Row => {
  const texts = Object.fromEntries(Object.entries(record.headers).map(([name, value]) => [name, value.toString()]))
  // Requests that an earlier version has put there have no id.
  const decoded = QuarantineHeaders.decode({ [quarantineHeaders.id]: placeOf(record), ...texts })
  const told = E.isRight(decoded)
    ? [decoded.right.interface, decoded.right.received_at, decoded.right.reason]
    : ['?', '?', '?']
  const problems = E.isRight(decoded) ? decoded.right.problems : 'not as the bridge writes it'
  return [placeOf(record), String(record.key ?? ''), ...told, String(record.value?.length ?? 0), problems].map(cell)
}
