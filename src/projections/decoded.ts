import type { Either } from 'fp-ts/lib/Either.js'
import type { BotReply } from '../../contracts/commands/bot-reply.ts'
import type { DomainEvent } from '../../contracts/events/index.ts'
import type { Instant } from '../../contracts/primitives.ts'
import type { Change, IncomingRecord } from '../domain/ports.ts'
import { changesOfEvent, changesOfReply } from './changes.ts'

/** Why a record cannot be read: `cause` is one of few words, `detail` names fields and never holds their values. */
export type Undecodable = { readonly cause: string; readonly detail: string }

/** Reads a record of an event topic as its event, or one of bot-replies as its command. */
export type Decode = (record: IncomingRecord) => Either<Undecodable, DomainEvent | BotReply>

const latest = Date.parse('9999-12-31T23:59:59.999Z')

/** A record's timestamp; one that lies outside of the calendar is moved to its edge. */
const instantOf = (ms: number): Instant =>
  new Date(Number.isFinite(ms) ? Math.min(Math.max(ms, 0), latest) : 0).toISOString() as Instant

/** The documents that a decoded record changes. */
export const changesOf = (
  { topic, partition, offset, timestamp }: IncomingRecord,
  decoded: DomainEvent | BotReply,
): ReadonlyArray<Change> => {
  const place = { topic, partition, offset }
  return decoded.type === 'BotMessage' || decoded.type === 'InviteAgent'
    ? changesOfReply({ ...place, reply: decoded, requestedAt: instantOf(timestamp) })
    : changesOfEvent({ ...place, event: decoded })
}
