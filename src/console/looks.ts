import * as E from 'fp-ts/lib/Either.js'
import type { AccountId } from '../../contracts/primitives.ts'
import type { Refusal } from '../http/answer.ts'
import { notRecorded, type RecordAction } from '../operations/audit.ts'
import { type ConsoleRequest, unavailable } from './handler.ts'

/** Records what somebody does; `who` is the session's. */
export type RecordActionOf = (who: string) => RecordAction

/** Records that somebody looks at personal data, before it is read: Left where that is not recorded, so that nothing is shown. */
export const recordLook =
  (recordActionOf: RecordActionOf) =>
  async (
    { session, accountId }: Pick<ConsoleRequest, 'session' | 'accountId'>,
    detail: string,
  ): Promise<E.Either<Refusal, void>> => {
    const recorded = await recordActionOf(session.who)({ action: 'unmask', detail, accountId: accountId as AccountId })
    return E.mapLeft((failure: Parameters<typeof notRecorded>[0]) => unavailable(notRecorded(failure)))(recorded)
  }
