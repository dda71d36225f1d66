import * as t from 'io-ts'
import { exactShape } from '../primitives.ts'
import { domainEvent } from './envelope.ts'
import { reply } from './reply.ts'

/**
 * A bot reply was not sent, or not sent again, because it came too late. An agent has joined or was invited, the chat
 * is closed, the client has written again (`overtaken`), or the bot has `answered` after all (only for a command of the
 * bridge itself).
 */
export const BotReplySuppressed = domainEvent(
  'BotReplySuppressed',
  exactShape(
    {
      ...reply.required,

      /** Why it came too late. */
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
