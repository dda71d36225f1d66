import { dated } from '../domain/dated.ts'
import type { Folded } from '../domain/folded.ts'
import { type IncomingRecord, recordTime } from '../domain/log/record.ts'
import { withBlankPersonalData } from '../domain/person/erased.ts'
import { changesOfAction, changesOfEvent, changesOfReply, changesOfRequest } from './changes.ts'
import type { Change } from './document.ts'

/**
 * The changes that a decoded record makes. Of an event that was received before its person was erased, they keep
 * nothing personal. Its unknown fields still count in `drift`, which names no person.
 */
export const changesOf = (
  { topic, partition, offset, epoch, timestamp, value, erased }: IncomingRecord,
  decoded: Folded,
): ReadonlyArray<Change> => {
  if (decoded.type === 'OperatorAction') return changesOfAction(decoded)
  const place = { topic, partition, offset, ...(epoch !== undefined && { epoch }) }
  if (decoded.type === 'QuarantinedRequest') return changesOfRequest({ ...place, request: decoded })
  return decoded.type === 'BotMessage' || decoded.type === 'InviteAgent'
    ? changesOfReply({ ...place, reply: decoded, requestedAt: recordTime({ timestamp }) })
    : changesOfEvent({
        ...place,
        event: dated(erased ? withBlankPersonalData(decoded) : decoded),
        bytes: value?.length ?? 0,
        ...(erased && { beforeErasure: dated(decoded) }),
      })
}
