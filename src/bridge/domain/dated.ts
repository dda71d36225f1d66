import type { BotReplyDelivered, DomainEvent } from '../../../contracts/events/index.ts'
import type { Message } from '../../../contracts/events/message.ts'
import type { Attempt } from '../../../contracts/events/reply.ts'
import type { Instant } from '../../../contracts/primitives.ts'
import type { Dated } from '../../../contracts/views/dated.ts'

/** The same fields, with a date as the time. */
const datedTime = <M extends { readonly timestamp?: Instant }>({ timestamp, ...rest }: M) => ({
  ...rest,
  ...(timestamp !== undefined && { timestamp: new Date(timestamp) }),
})

const datedMessage = (message: Message): Dated<Message> => datedTime(message)

const datedAttempt = (attempt: Attempt): Dated<Attempt> => ({ ...attempt, at: new Date(attempt.at) })

type Outcome = Pick<BotReplyDelivered['data'], 'attempts' | 'requestedAt' | 'message'>

const datedOutcome = <O extends Outcome>({ attempts, requestedAt, message, ...rest }: O) => ({
  ...rest,
  attempts: attempts.map(datedAttempt),
  requestedAt: new Date(requestedAt),
  ...(message && { message: datedMessage(message) }),
})

/** Its return type makes sure that no time is forgotten, also in fields that are added to an event later. */
const datedData = (event: DomainEvent): Dated<DomainEvent['data']> => {
  switch (event.type) {
    case 'ChatFinished': {
      const { chat, ...data } = event.data
      if (chat === undefined) return data
      const { messages, ...rest } = chat
      return { ...data, chat: { ...rest, ...(messages && { messages: messages.map(datedTime) }) } }
    }
    case 'ClientMessageReceived':
      return { ...event.data, message: datedMessage(event.data.message) }
    case 'BotReplyDelivered':
      return datedOutcome(event.data)
    case 'BotReplyFailed':
      return datedOutcome(event.data)
    case 'BotReplySuppressed':
      return datedOutcome(event.data)
    default:
      return event.data
  }
}

/**
 * The event with a Date in place of each time: the documents of views have dates, and the decisions in conversation.ts
 * compare dates. A Date has milliseconds, and finer digits in the event's text are cut off.
 */
export const dated = <E extends DomainEvent>(event: E): Dated<E> => {
  const { time, receivedTime, ...rest } = event
  return {
    ...rest,
    time: new Date(time),
    ...(receivedTime !== undefined && { receivedTime: new Date(receivedTime) }),
    data: datedData(event),
  } as Dated<E>
}
