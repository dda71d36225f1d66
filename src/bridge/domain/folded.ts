import type { Either } from 'fp-ts/lib/Either.js'
import type { BotReply } from '../../../contracts/commands/bot-reply.ts'
import type { OperatorAction } from '../../../contracts/commands/operator-action.ts'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import type { Undecodable } from './decode-json.ts'
import type { IncomingRecord } from './log/record.ts'
import type { QuarantinedRequest } from './quarantined.ts'

/** The decoded records from which the views are folded. */
export type Folded = DomainEvent | BotReply | OperatorAction | QuarantinedRequest

/** Decodes a record of an event topic (event), bot-replies (command), audit (action) or quarantine (request). */
export type Decode = (record: IncomingRecord) => Either<Undecodable, Folded>
