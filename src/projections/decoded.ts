import type { Either } from 'fp-ts/lib/Either.js'
import type { BotReply } from '../../contracts/commands/bot-reply.ts'
import type { DomainEvent } from '../../contracts/events/index.ts'
import type { Change, IncomingRecord } from '../domain/ports.ts'
import { recordTime } from '../domain/record-time.ts'
import { changesOfEvent, changesOfReply } from './changes.ts'

/** Why a record cannot be read: `cause` is one of few words, `detail` names fields and never holds their values. */
export type Undecodable = { readonly cause: string; readonly detail: string }

/** Reads a record of an event topic as its event, or one of bot-replies as its command. */
export type Decode = (record: IncomingRecord) => Either<Undecodable, DomainEvent | BotReply>

/** The documents that a decoded record changes. */
export const changesOf = (
  { topic, partition, offset, timestamp, value }: IncomingRecord,
  decoded: DomainEvent | BotReply,
): ReadonlyArray<Change> => {
  const place = { topic, partition, offset }
  return decoded.type === 'BotMessage' || decoded.type === 'InviteAgent'
    ? changesOfReply({ ...place, reply: decoded, requestedAt: recordTime({ timestamp }) })
    : changesOfEvent({ ...place, event: decoded, bytes: value?.length ?? 0 })
}
