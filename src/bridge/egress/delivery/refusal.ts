import type { BotReplyFailed } from '../../../../contracts/events/index.ts'

type FailedReason = BotReplyFailed['data']['reason']
/** Why egress gave a command up that it may have sent. The other reasons of the event are of refused commands. */
export type GivenUpReason = Extract<FailedReason, 'rejected' | 'attempts' | 'deadline'>

/** Each cause why a command is refused unsent, with the reason that its event gives the author. */
const reasons = {
  'no-value': 'invalid',
  'not-utf8': 'invalid',
  'not-json': 'invalid',
  'too-deep': 'invalid',
  'repeated-key': 'invalid',
  contract: 'invalid',
  invalid: 'invalid',
  'wrong-key': 'invalid',
  'unknown-account': 'unknown-account',
  duplicate: 'duplicate',
  gone: 'gone',
  unforeseen: 'unforeseen',
} as const satisfies Readonly<Record<string, Exclude<FailedReason, GivenUpReason>>>

/** Why a command is refused unsent. `detail` names fields and never contains their values. */
export type Refusal = { readonly cause: keyof typeof reasons; readonly detail: string }

export const refusedReason = ({ cause }: Refusal): Exclude<FailedReason, GivenUpReason> => reasons[cause]
