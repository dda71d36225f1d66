import * as t from 'io-ts'
import { exactShape } from '../primitives.ts'
import { domainEvent } from './envelope.ts'
import { reply } from './reply.ts'

/** A bot reply was not sent because it came too late: an agent has joined or was invited, or the chat is closed. */
export const BotReplySuppressed = domainEvent(
  'BotReplySuppressed',
  exactShape(
    {
      ...reply.required,
      reason: t.keyof({ 'agent-joined': null, 'agent-invited': null, 'chat-closed': null, overtaken: null }),
    },
    reply.optional,
    'BotReplySuppressedData',
  ),
)
export type BotReplySuppressed = t.TypeOf<typeof BotReplySuppressed>
