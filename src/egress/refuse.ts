import type { IncomingRecord } from '../domain/ports.ts'
import { recordTime } from '../domain/record-time.ts'
import type { Announcer } from './announce.ts'
import type { ConversationNow } from './conversation/conversation-now.ts'
import { refusedEvent } from './outcome.ts'
import { persistently } from './patience.ts'
import type { EgressPorts, Undecodable } from './ports.ts'
import { type Addressed, readable } from './readable.ts'

/** Both tell a command's author that it was not sent; false where the worker stops before that is done. */
export type Refuse = {
  /** Keeps a record that breaks its contract as a dead letter. */
  readonly invalid: (record: IncomingRecord, why: Undecodable) => Promise<boolean>
  /** Another command of the chat was finished under this id: its outcome stays. */
  readonly duplicate: (record: IncomingRecord, command: Addressed) => Promise<boolean>
}

const sameId: Undecodable = { cause: 'duplicate', detail: 'id: expected one that no other command of the chat has' }

type Parts = {
  readonly ports: Pick<EgressPorts, 'deadLetter' | 'measure' | 'log' | 'now' | 'sleep' | 'random'>
  readonly stopping: AbortSignal
  readonly announce: Announcer['announce']
  readonly nowOf: (partition: number, command: Addressed) => () => Promise<ConversationNow>
}

export const refuser = ({ ports, stopping, announce, nowOf }: Parts): Refuse => {
  const tell = (command: Addressed, record: IncomingRecord, why: Undecodable) =>
    announce(refusedEvent(command, record, why, recordTime(record), ports.now()))
  const duplicate: Refuse['duplicate'] = (record, command) => {
    const { partition, offset } = record
    ports.log.warn({ partition, offset, accountId: command.accountId, ...sameId }, 'egress: a command was refused')
    ports.measure.duplicateCommand(command.accountId)
    return tell(command, record, sameId)
  }
  return {
    duplicate,
    invalid: async (record, why) => {
      const { partition, offset } = record
      ports.log.warn({ partition, offset, ...why }, 'egress: a command was refused')
      const keep = () => ports.deadLetter(record, why.cause, why.detail)
      const kept = await persistently(ports, 'dead letter', keep, stopping)
      if (kept === undefined) return false
      const command = readable(record.value)
      if (command === undefined) return true
      const { isFinished } = await nowOf(partition, command)()
      if (isFinished) return duplicate(record, command)
      ports.measure.delivery(command.accountId, 'failed')
      return tell(command, record, why)
    },
  }
}
