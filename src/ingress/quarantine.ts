import { randomUUID } from 'node:crypto'
import type { Instant } from '../../contracts/primitives.ts'
import { quarantineHeaders as names, quarantine } from '../../contracts/topics.ts'
import { inWords, type NotUnderstood } from '../domain/decode-request.ts'
import type { Append, Measure, OutgoingRecord } from '../domain/ports.ts'
import type { Admitted } from './admission.ts'

/** Why a request is kept in quarantine: its body was not understood, or it is too large; `size` in bytes. */
export type Quarantined = NotUnderstood | { readonly kind: 'too-large'; readonly size: number | undefined }

/** As much of a body as is kept if it is too large. */
const headBytes = 64 * 1024

/** The record that keeps a body, byte for byte, with why it was not understood. Pure. */
export const quarantineRecord = (
  api: 'webhooks' | 'bot',
  { account, body, contentType, contentEncoding }: Admitted,
  reason: Quarantined,
  receivedAt: Instant,
  id: string,
): OutgoingRecord => ({
  topic: quarantine.name,
  key: account.id,
  value: reason.kind === 'too-large' ? body.subarray(0, headBytes) : body,
  headers: {
    [names.id]: id,
    [names.interface]: api,
    [names.receivedAt]: receivedAt,
    [names.reason]: reason.kind,
    [names.problems]: reason.kind === 'too-large' ? 'body: expected fewer bytes' : inWords(reason),
    ...(contentType !== '' && { [names.contentType]: contentType }),
    ...(contentEncoding !== '' && { [names.contentEncoding]: contentEncoding }),
    ...(reason.kind === 'too-large' && { [names.size]: String(reason.size ?? 'unknown') }),
  },
})

/** Keeps a body that was not understood; Left if it is not known to be kept within so many ms. */
export const quarantining =
  (append: Append, measure: Pick<Measure, 'quarantined'>, api: 'webhooks' | 'bot') =>
  (admitted: Admitted, reason: Quarantined, receivedAt: Instant, withinMs: number): ReturnType<Append> => {
    measure.quarantined(api, reason.kind)
    return append(quarantineRecord(api, admitted, reason, receivedAt, randomUUID()), withinMs)
  }
