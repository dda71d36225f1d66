import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { AccountId, type Instant } from '../../../contracts/primitives.ts'
import { describe, problemsOf } from '../../../contracts/problem.ts'
import { QuarantineHeaders } from '../../../contracts/records.ts'
import { type Undecodable, undecodable } from './decode-json.ts'
import type { IncomingRecord } from './log/record.ts'

/** A request that was not understood, as the topic quarantine has it. */
export type QuarantinedRequest = {
  readonly type: 'QuarantinedRequest'
  readonly id: string
  readonly accountId: AccountId
  readonly api: 'webhooks' | 'bot'
  readonly receivedAt: Instant
  readonly reason: t.TypeOf<typeof QuarantineHeaders>['reason']
  readonly problems: string
  readonly body: Buffer
}

/** The headers of a record on quarantine. */
export const quarantineHeadersOf = ({ headers }: Pick<IncomingRecord, 'headers'>) =>
  QuarantineHeaders.decode(Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `${value}`])))

/** The request of a record on quarantine. */
export const quarantinedRequest = (record: IncomingRecord): E.Either<Undecodable, QuarantinedRequest> => {
  const headers = quarantineHeadersOf(record)
  if (E.isLeft(headers)) return undecodable('headers', describe(problemsOf(headers.left)))
  const accountId = AccountId.decode(String(record.key ?? ''))
  if (E.isLeft(accountId)) return undecodable('headers', 'key: expected an account id')
  const { id, interface: api, received_at: receivedAt, reason, problems } = headers.right
  return E.right({
    type: 'QuarantinedRequest',
    id,
    accountId: accountId.right,
    api,
    receivedAt,
    reason,
    problems,
    body: record.value ?? Buffer.alloc(0),
  })
}
