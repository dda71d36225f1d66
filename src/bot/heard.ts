import type { BotReply } from '../../contracts/commands/bot-reply.ts'
import type { ChatErased, ConversationEvent } from '../../contracts/events/index.ts'
import type { Note } from './replies.ts'

/** An event of a chat that this bot reads. */
export type Heard<E extends ConversationEvent = ConversationEvent> = {
  readonly event: E
  /** The event's trace. */
  readonly traceparent?: string | undefined
  /** Publishes a command in a trace. Resolves when Kafka has it, or when it no longer counts. */
  readonly publish: (command: BotReply, traceparent: string | undefined) => Promise<void>
  /**
   * Shows the agent who accepts the chat a note. Resolves when Kafka has it, or soon: an agent must not wait for it.
   */
  readonly attach: (note: Note) => Promise<void>
  /** The event needs nothing more. */
  readonly finish: () => void
}

/** An erasure of this chat that this bot reads. */
export type HeardErasure = {
  readonly event: ChatErased
  /** Forgets the chat and confirms it. */
  readonly forget: () => Promise<void>
  readonly finish: () => void
}
