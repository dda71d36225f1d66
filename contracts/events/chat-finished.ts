import * as t from 'io-ts'
import { exactShape, Id } from '../primitives.ts'
import { domainEvent } from './envelope.ts'
import { webhook } from './fields.ts'
import { Agent, Chat } from './parts.ts'

/** A chat was closed in the agents' application; carries its log (chat_finished). */
export const ChatFinished = domainEvent(
  'ChatFinished',
  exactShape(
    { ...webhook.required, chatId: Id, agents: t.array(Agent), chat: Chat },
    { ...webhook.optional, plainMessages: t.string, htmlMessages: t.string },
    'ChatFinishedData',
  ),
)
export type ChatFinished = t.TypeOf<typeof ChatFinished>
