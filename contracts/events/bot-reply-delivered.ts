import type * as t from 'io-ts'
import { exactShape } from '../primitives.ts'
import { domainEvent } from './envelope.ts'
import { reply } from './reply.ts'

/**
 * The service accepted a bot reply: it answered 2xx without an error. Whether the client saw the reply is not known.
 */
export const BotReplyDelivered = domainEvent(
  'BotReplyDelivered',
  exactShape(reply.required, reply.optional, 'BotReplyDeliveredData'),
)
export type BotReplyDelivered = t.TypeOf<typeof BotReplyDelivered>
