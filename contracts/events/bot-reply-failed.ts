import * as t from 'io-ts'
import { Code, Text } from '../personal.ts'
import { exactShape } from '../primitives.ts'
import { domainEvent } from './envelope.ts'
import { reply } from './reply.ts'

/**
 * The bridge gave up a bot reply. `rejected`: the service's answer is final. `attempts` or `deadline`: the limit of the
 * account was reached. `invalid`: the command breaks its contract. It is on dead-letters, and an agent is invited at
 * once. `unforeseen`: a bug of the bridge. The command is on dead-letters, and an agent is invited at once. `gone`: the
 * command was deleted from bot-replies, because it was too old, before it could be sent. Its own id is not known any
 * more, and an agent is invited. `unknown-account`: no account with a bot has this id. `duplicate`: an earlier command of
 * the chat had the same type and id. That command keeps its outcome: a `duplicate` changes no document of `deliveries`.
 * If it is an InviteAgent and no agent has the chat, an agent is invited at once.
 */
export const BotReplyFailed = domainEvent(
  'BotReplyFailed',
  exactShape(
    {
      ...reply.required,

      /** The type of the command as its record named it, even if it is wrong. `unknown` if the record named none. */
      commandType: Code,

      /** Why it was given up. */
      reason: t.keyof({
        rejected: null,
        attempts: null,
        deadline: null,
        invalid: null,
        'unknown-account': null,
        duplicate: null,
        gone: null,
        unforeseen: null,
      }),
    },
    {
      ...reply.optional,
      /**
       * The reason in words. For `rejected`: the first 500 characters of the service's answer, without the account's
       * secrets. For `unforeseen`: the type of the error and its place in the bridge's code. Otherwise: what was
       * expected of the command, never what it contained.
       */
      detail: Text,
    },
    'BotReplyFailedData',
  ),
)
export type BotReplyFailed = t.TypeOf<typeof BotReplyFailed>
