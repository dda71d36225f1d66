import type { IncomingRecord } from '../domain/ports.ts'
import type { Announcer } from './announce.ts'
import type { ConversationNow } from './conversation/conversation-now.ts'
import { refusedEvent } from './outcome.ts'
import { persistently } from './patience.ts'
import type { EgressPorts, Undecodable } from './ports.ts'
import { type Addressed, readable } from './readable.ts'
import { recordTime } from './record-time.ts'

/** Puts a record of bot-replies aside unsent and tells its author; false where the worker stops before both is done. */
export type Refuse = (record: IncomingRecord, why: Undecodable) => Promise<boolean>

type Parts = {
  readonly ports: Pick<EgressPorts, 'deadLetter' | 'measure' | 'log' | 'now' | 'sleep' | 'random'>
  readonly stopping: AbortSignal
  readonly announce: Announcer['announce']
  readonly nowOf: (partition: number, command: Addressed) => () => Promise<ConversationNow>
}

export const refuser = ({ ports, stopping, announce, nowOf }: Parts): Refuse => {
  /** What was finished under the same id before keeps its outcome. */
  const tell = async (command: Addressed, record: IncomingRecord, why: Undecodable) => {
    const { isFinished } = await nowOf(record.partition, command)()
    if (isFinished) return true
    const now = ports.now()
    ports.measure.delivery(command.accountId, 'failed')
    return announce(refusedEvent(command, record, why, recordTime(record, now), now))
  }
  return async (record, why) => {
    const { partition, offset } = record
    ports.log.warn({ partition, offset, ...why }, 'egress: a command refused')
    const keep = () => ports.deadLetter(record, why.cause, why.detail)
    const kept = await persistently(ports, 'dead letter', keep, stopping)
    const command = readable(record.value)
    return kept !== undefined && (command === undefined || tell(command, record, why))
  }
}
