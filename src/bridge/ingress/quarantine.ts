import { randomUUID } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import type { Instant } from '../../../contracts/primitives.ts'
import { quarantineHeaders as names } from '../../../contracts/records.ts'
import { quarantine } from '../../../contracts/topics.ts'
import { type NotUnderstood, problemText } from '../domain/decode-request.ts'
import type { OutgoingRecord } from '../domain/log/record.ts'
import type { Answer, Refusal } from '../http/answer.ts'
import { headBytes } from '../http/body.ts'
import type { Admitted, Ingress } from './admission.ts'
import { eventTooLarge, unavailable } from './refusal.ts'

/**
 * Why a request is in quarantine: its body was not understood, it is too large (`size` in bytes), or Kafka will never
 * accept its event.
 */
export type Quarantined =
  | NotUnderstood
  | { readonly kind: 'too-large'; readonly size: number | undefined }
  | { readonly kind: 'refused-by-kafka'; readonly reason: string }

const problemsOf = (reason: Quarantined): string => {
  if (reason.kind === 'too-large') return 'body: expected fewer bytes'
  return reason.kind === 'refused-by-kafka' ? reason.reason : problemText(reason)
}

/** The record that keeps a body byte for byte (the beginning of one that is too large), with the reason. Pure. */
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
    [names.problems]: problemsOf(reason),
    ...(contentType !== '' && { [names.contentType]: contentType }),
    ...(contentEncoding !== '' && { [names.contentEncoding]: contentEncoding }),
    ...(reason.kind === 'too-large' && { [names.size]: String(reason.size ?? 'unknown') }),
  },
})

type Request = {
  readonly admitted: Admitted
  readonly reason: Quarantined
  readonly receivedAt: Instant
  readonly withinMs: number
  /** The answer once the request is kept. */
  readonly answer: E.Either<Refusal, Answer>
  /** The event, if it is known. */
  readonly event: Pick<DomainEvent, 'id' | 'subject' | 'type'> | undefined
}

/** Keeps a request that does not become an event, and returns its answer: 503 if it may not have been kept in time. */
export const quarantining = (
  { append, measure, log }: Pick<Ingress, 'append' | 'measure' | 'log'>,
  api: 'webhooks' | 'bot',
) => {
  const keep = async (request: Request): Promise<E.Either<Refusal, Answer>> => {
    const { admitted, reason, receivedAt, withinMs, answer, event } = request
    const fields = { api, accountId: admitted.account.id, ...(event && { subject: event.subject, type: event.type }) }
    if (reason.kind === 'too-large')
      log.warn({ ...fields, bytes: reason.size }, 'a request is too large: its beginning is in quarantine')
    if (reason.kind === 'refused-by-kafka')
      log.error(
        { ...fields, reason: reason.reason },
        'Kafka will never accept an event: its request goes to quarantine',
      )
    // An event of a webhook has the id of its record, so the event that a redrive makes is the same event.
    const id = api === 'webhooks' && event !== undefined ? event.id : randomUUID()
    const appended = await append(quarantineRecord(api, admitted, reason, receivedAt, id), withinMs)
    // The topic may accept less than a body may have. Then its beginning is kept.
    if (E.isLeft(appended) && appended.left.kind === 'too-large' && reason.kind !== 'too-large')
      return keep({
        ...request,
        reason: { kind: 'too-large', size: admitted.body.length },
        answer: E.left(eventTooLarge),
      })
    measure.quarantined(api, reason.kind)
    return E.isLeft(appended) ? E.left(unavailable) : answer
  }
  return keep
}
