import type { BotReply } from '../../contracts/commands/bot-reply.ts'
import type { ChatErased, ClientMessageReceived, ConversationEvent } from '../../contracts/events/index.ts'
import type { Turns } from './conversation.ts'
import type { Note } from './replies.ts'

/** An event of a chat that this bot reads. */
export type Received<E extends ConversationEvent = ConversationEvent> = {
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
export type ReceivedErasure = {
  readonly event: ChatErased
  /** Forgets the chat and confirms it. */
  readonly forget: () => Promise<void>
  readonly finish: () => void
}

type WhenReceived = {
  readonly receivedAt: number
  /** Decided once, when it is received: what waits for its turn or for a permit does not become too old. */
  readonly isTooOld: boolean
}
export type Message = Received<ClientMessageReceived> & WhenReceived
export type Waiting = Received & WhenReceived

export const isErasure = (received: Waiting | ReceivedErasure): received is ReceivedErasure =>
  received.event.type === 'ChatErased'

const ends: ReadonlySet<(ConversationEvent | ChatErased)['type']> = new Set([
  'AgentInvited',
  'AgentJoined',
  'ChatClosed',
  'ChatErased',
])

/** Whether one of these events takes the chat away from the bot. */
export const isTakenBy = (
  events: ReadonlyArray<Pick<ConversationEvent | ChatErased, 'type' | 'receivedTime'>>,
): boolean => events.some(({ type, receivedTime }) => ends.has(type) && receivedTime === undefined)

/** The time at which a turn begins if nothing more is received: the client is silent, or has written long enough. */
export const quietAt = (lastReceivedAt: number, startedAt: number, { quietMs, atMostMs }: Turns): number =>
  Math.min(lastReceivedAt + quietMs, startedAt + atMostMs)

export type ChatQueue = ReturnType<typeof chatQueue>

/** The events of a chat that are not handled yet. `isTurn`: whether a message waits for a turn. */
export const chatQueue = (isTurn: (received: Waiting | ReceivedErasure) => received is Message) => {
  const waiting: Array<Waiting | ReceivedErasure> = []
  let wake = () => {}
  /** The messages at the head of the queue. */
  const messages = (): ReadonlyArray<Message> => {
    const found: Message[] = []
    for (const received of waiting) {
      if (!isTurn(received)) break
      found.push(received)
    }
    return found
  }
  return {
    messages,
    /** Whether no other event waits behind the messages. */
    hasOnlyMessages: () => waiting.every(isTurn),
    head: () => waiting[0],
    /** Each new event wakes a turn that waits for silence, and a handler that runs. */
    add: (received: Waiting | ReceivedErasure): void => {
      waiting.push(received)
      wake()
    },
    finish: (count: number): void => {
      for (const received of waiting.slice(0, count)) received.finish()
      waiting.splice(0, count)
    },
    isTaken: () => isTakenBy(waiting.map(({ event }) => event)),
    isErased: () => waiting.some(isErasure),
    nextEvent: (): Promise<void> =>
      new Promise((resolve) => {
        wake = resolve
      }),
  }
}
