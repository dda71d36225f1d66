import * as t from 'io-ts'
import { Code, Text } from '../personal.ts'
import { exactShape } from '../primitives.ts'
import { domainEvent } from './envelope.ts'
import { reply } from './reply.ts'

/**
 * A bot reply was given up. `rejected`: the service's answer is final; `attempts` or `deadline`: the account's bound was
 * reached; `invalid`: the command breaks its contract and is on dead-letters, and an agent is invited at once;
 * `unknown-account`: no such account with a bot; `duplicate`: another command of the chat had the same id before. That one
 * keeps its outcome: a `duplicate` changes no document of `deliveries` or `conversations`.
 */
export const BotReplyFailed = domainEvent(
  'BotReplyFailed',
  exactShape(
    {
      ...reply.required,

      /** Which command it was, as its record named it, right or wrong; `unknown` where it named none. */
      commandType: Code,

      /** Why it was given up. */
      reason: t.keyof({
        rejected: null,
        attempts: null,
        deadline: null,
        invalid: null,
        'unknown-account': null,
        duplicate: null,
      }),
    },
    {
      ...reply.optional,
      /**
       * The same in words: for `rejected` the first 500 characters of the service's answer, without the account's secrets;
       * otherwise what was expected of the command, never what it said.
       */
      detail: Text,
    },
    'BotReplyFailedData',
  ),
)
export type BotReplyFailed = t.TypeOf<typeof BotReplyFailed>
