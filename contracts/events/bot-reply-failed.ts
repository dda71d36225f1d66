import * as t from 'io-ts'
import { exactShape } from '../primitives.ts'
import { domainEvent } from './envelope.ts'
import { reply } from './reply.ts'

/**
 * A bot reply was given up. `rejected`: the service's answer is final; `attempts` or `deadline`: the account's bound was
 * reached; `invalid`: the command breaks its contract and is on dead-letters; `unknown-account`: no such account with a bot;
 * `duplicate`: another command of the chat had the same id before. That one keeps its outcome: a `duplicate` changes no
 * document of `deliveries` or `conversations`.
 */
export const BotReplyFailed = domainEvent(
  'BotReplyFailed',
  exactShape(
    {
      ...reply.required,

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
      /** The same in words: the service's answer, or what was expected of the command. Never what was sent. */
      detail: t.string,
    },
    'BotReplyFailedData',
  ),
)
export type BotReplyFailed = t.TypeOf<typeof BotReplyFailed>
