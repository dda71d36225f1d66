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
import { unavailable } from './refusal.ts'

/** Why a request is in quarantine: its body was not understood, or it is too large; `size` in bytes. */
export type Quarantined = NotUnderstood | { readonly kind: 'too-large'; readonly size: number | undefined }

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
    [names.problems]: reason.kind === 'too-large' ? 'body: expected fewer bytes' : problemText(reason),
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
  /** The event, if it is known: for the log. */
  readonly event: Pick<DomainEvent, 'subject' | 'type'> | undefined
}

/** Keeps a request that does not become an event, and returns its answer: 503 if it may not have been kept in time. */
export const quarantining =
  ({ append, measure, log }: Pick<Ingress, 'append' | 'measure' | 'log'>, api: 'webhooks' | 'bot') =>
  async ({ admitted, reason, receivedAt, withinMs, answer, event }: Request): Promise<E.Either<Refusal, Answer>> => {
    measure.quarantined(api, reason.kind)
    if (reason.kind === 'too-large') {
      const fields = { api, accountId: admitted.account.id, bytes: reason.size }
      const about = event && { subject: event.subject, type: event.type }
      log.warn({ ...fields, ...about }, 'a request is too large: its beginning is in quarantine')
    }
    const appended = await append(quarantineRecord(api, admitted, reason, receivedAt, randomUUID()), withinMs)
    return E.isLeft(appended) ? E.left(unavailable) : answer
  }
