import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { BotReply } from '../../contracts/commands/bot-reply.ts'
import { Enrichment } from '../../contracts/commands/enrichment.ts'
import type { DomainEvent } from '../../contracts/events/index.ts'
import { describe, problemsOf } from '../../contracts/problem.ts'
import { botReplies } from '../../contracts/topics.ts'
import type { IncomingRecord } from '../domain/ports.ts'
import { fromRecord } from './cloud-event.ts'
import { readJson, type Undecodable, undecodable } from './json.ts'

/** Reads a record whose value others wrote as JSON of one contract. */
export const decodeJson =
  <A>(codec: t.Decoder<unknown, A>) =>
  ({ value }: Pick<IncomingRecord, 'value'>): E.Either<Undecodable, A> => {
    const json = readJson(value, { exact: true })
    if (E.isLeft(json)) return json
    const decoded = codec.decode(json.right)
    return E.isRight(decoded) ? decoded : undecodable('contract', describe(problemsOf(decoded.left)))
  }

/** A command of bot-replies. */
export const fromCommand = decodeJson(BotReply)
/** An enrichment that is there; a record without a value removes one, which its reader has to see first. */
export const fromEnrichment = decodeJson(Enrichment)

/** Reads what the views are folded from: events, and the commands of bot-replies. */
export const decodeRecord = (record: IncomingRecord): E.Either<Undecodable, DomainEvent | BotReply> =>
  record.topic === botReplies.name ? fromCommand(record) : fromRecord(record)
