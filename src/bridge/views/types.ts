import { ChatEvent, ConversationEvent, DomainEvent } from '../../../contracts/events/index.ts'

const typesOf = <T extends string>(codecs: ReadonlyArray<{ readonly name: string }>): ReadonlyArray<T> =>
  codecs.map(({ name }) => name as T)

/** The types of the events of a chat with an agent, of a conversation with a bot, and of all events. */
export const chatTypes = typesOf<ChatEvent['type']>(ChatEvent.types)
export const conversationTypes = typesOf<ConversationEvent['type']>(ConversationEvent.types)
export const eventTypes = typesOf<DomainEvent['type']>(DomainEvent.types)
