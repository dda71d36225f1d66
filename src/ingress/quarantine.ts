import { randomUUID } from 'node:crypto'
import type { Instant } from '../../contracts/primitives.ts'
import { quarantineHeaders as names, quarantine } from '../../contracts/topics.ts'
import type { Append, OutgoingRecord } from '../domain/ports.ts'
import type { Admitted } from './admission.ts'
import type { MeasureRequests } from './measure.ts'
import { inWords, type NotUnderstood } from './not-understood.ts'

/** The record that keeps a body, byte for byte, with why it was not understood. Pure. */
export const quarantineRecord = (
  api: 'webhooks' | 'bot',
  { account, body, contentType, contentEncoding }: Admitted,
  reason: NotUnderstood,
  receivedAt: Instant,
  id: string,
): OutgoingRecord => ({
  topic: quarantine.name,
  key: account.id,
  value: body,
  headers: {
    [names.id]: id,
    [names.interface]: api,
    [names.receivedAt]: receivedAt,
    [names.reason]: reason.kind,
    [names.problems]: inWords(reason),
    ...(contentType !== '' && { [names.contentType]: contentType }),
    ...(contentEncoding !== '' && { [names.contentEncoding]: contentEncoding }),
  },
})

/** Keeps a body that was not understood; Left where it is not known to be kept within so many ms. */
export const quarantining =
  (append: Append, measure: MeasureRequests, api: 'webhooks' | 'bot') =>
  (admitted: Admitted, reason: NotUnderstood, receivedAt: Instant, withinMs: number): ReturnType<Append> => {
    measure.quarantined(api, reason.kind)
    return append(quarantineRecord(api, admitted, reason, receivedAt, randomUUID()), withinMs)
  }
