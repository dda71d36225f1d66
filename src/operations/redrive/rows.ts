import * as E from 'fp-ts/lib/Either.js'
import type { Instant } from '../../../contracts/primitives.ts'
import { QuarantineHeaders } from '../../../contracts/records.ts'
import { quarantineHeaders } from '../../../contracts/topics.ts'
import type { IncomingRecord } from '../../domain/ports.ts'
import { printable } from '../../shared/printable.ts'
import { type Letter, placeOf } from './letter.ts'

export type Row = ReadonlyArray<string>

/** When a letter was sent back; nothing where that is not known. */
export type SentAt = ReadonlyArray<Instant> | undefined | null

const longest = 120

const cell = (text: string) => {
  const safe = printable(text)
  return safe.length > longest ? `${safe.slice(0, longest - 1)}…` : safe
}

const redriven = (sentAt: SentAt) => {
  if (sentAt === undefined || sentAt === null) return '?'
  const last = sentAt.at(-1)
  return last === undefined ? 'no' : `${sentAt.length > 1 ? `${sentAt.length} times, last ` : ''}${last}`
}

export const originOf = ({ origin }: Letter): string => `${origin.topic}/${origin.partition}/${origin.offset}`

/** A letter as `list` shows it: `before` is how often its record had been redriven when it failed, `redriven` when it was itself. */
export const listedLetter = (letter: Letter, sentAt: SentAt) => ({
  id: letter.id,
  origin: originOf(letter),
  consumer: letter.consumer,
  cause: letter.cause,
  failedAt: letter.failedAt,
  before: letter.redriven,
  redriven: sentAt ?? null,
  detail: letter.detail,
})

export const letterHead: Row = ['ID', 'ORIGIN', 'CONSUMER', 'CAUSE', 'FAILED AT', 'BEFORE', 'REDRIVEN', 'DETAIL']

export const letterRow = (listed: ReturnType<typeof listedLetter>): Row => {
  const { id, origin, consumer, cause, failedAt, before, redriven: sentAt, detail } = listed
  return [id, origin, consumer, cause, failedAt, String(before), redriven(sentAt), detail].map(cell)
}

/** A record of quarantine as `list` shows it; one that ingress has not written says so. */
export const listedRequest = (record: IncomingRecord) => {
  const texts = Object.fromEntries(Object.entries(record.headers).map(([name, value]) => [name, value.toString()]))
  // Requests that an earlier version has put there have no id.
  const decoded = QuarantineHeaders.decode({ [quarantineHeaders.id]: placeOf(record), ...texts })
  const written = E.isRight(decoded) ? decoded.right : undefined
  return {
    id: placeOf(record),
    account: String(record.key ?? ''),
    interface: written?.interface ?? '?',
    receivedAt: written?.received_at ?? '?',
    reason: written?.reason ?? '?',
    bytes: record.value?.length ?? 0,
    problems: written?.problems ?? 'not as the bridge writes it',
  }
}

export const quarantineHead: Row = ['ID', 'ACCOUNT', 'INTERFACE', 'RECEIVED AT', 'REASON', 'BYTES', 'PROBLEMS']

export const quarantineRow = (listed: ReturnType<typeof listedRequest>): Row =>
  Object.values(listed).map(String).map(cell)
