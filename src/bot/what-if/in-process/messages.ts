import type { ConversationEvent } from '../../../../contracts/events/index.ts'
import type { Reply } from '../../replies.ts'
import type { Failing } from '../judge.ts'

/** What the process of a bot is asked. `chat` names the state that the bot keeps between the turns of one chat. */
export type Question =
  | {
      readonly kind: 'ask'
      readonly id: number
      readonly chat: string
      readonly before: ReadonlyArray<ConversationEvent>
      readonly events: ReadonlyArray<ConversationEvent>
    }
  | { readonly kind: 'end'; readonly chat: string }

/** What the bot did. `said`: the messages that announce the answer. `ms` is how long it took. */
export type Raw = {
  readonly said: ReadonlyArray<Reply>
  readonly replies: ReadonlyArray<Reply>
  readonly failing?: Failing
  readonly ms: number
}

/** What the process of a bot says. */
export type FromBot =
  | { readonly kind: 'ready' }
  | { readonly kind: 'unusable'; readonly reason: string }
  | { readonly kind: 'answer'; readonly id: number; readonly raw: Raw }
