import * as t from 'io-ts'
import { Text } from '../personal.ts'
import { exactShape, Id } from '../primitives.ts'
import { Chat } from './chat.ts'
import { domainEvent } from './envelope.ts'
import { webhook } from './fields.ts'
import { Agent } from './parts.ts'

/** A chat was closed in the agents' application. The event has its log (chat_finished). */
export const ChatFinished = domainEvent(
  'ChatFinished',
  exactShape(
    {
      ...webhook.required,
      /** The chat. Its id is unique within the account and the same on both interfaces. */
      chatId: Id,
    },
    {
      ...webhook.optional,
      /** Everyone who took part. */
      agents: t.array(Agent),
      /** The chat with its log. */
      chat: Chat,
      /** The log as plain text, as the service makes it. */
      plainMessages: Text,
      /** The log as HTML, as the service makes it. */
      htmlMessages: Text,
      /** Which of the two logs above were left out because the event was too large. They repeat `chat.messages`. */
      omitted: t.array(t.keyof({ plainMessages: null, htmlMessages: null })),
    },
    'ChatFinishedData',
  ),
)
export type ChatFinished = t.TypeOf<typeof ChatFinished>
