import * as t from 'io-ts'
import { exactShape } from '../primitives.ts'
import { domainEvent } from './envelope.ts'
import { reply } from './reply.ts'

/**
 * A bot reply was not sent, or not sent again, because it came too late: an agent has joined or was invited, the chat is
 * closed, the client has written again (`overtaken`), or, for a command of the bridge's own, the bot has `answered` after all.
 */
export const BotReplySuppressed = domainEvent(
  'BotReplySuppressed',
  exactShape(
    {
      ...reply.required,

      /** What came first. */
      reason: t.keyof({
        'agent-joined': null,
        'agent-invited': null,
        'chat-closed': null,
        overtaken: null,
        answered: null,
      }),
    },
    reply.optional,
    'BotReplySuppressedData',
  ),
)
export type BotReplySuppressed = t.TypeOf<typeof BotReplySuppressed>
