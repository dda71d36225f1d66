import type { ChatErased, ClientMessageReceived, ConversationEvent } from '../../contracts/events/index.ts'
import type { Turns } from './conversation.ts'
import type { Heard, HeardErasure } from './heard.ts'

type WhenHeard = {
  readonly heardAt: number
  /** Decided once, when it is heard: what waits for its turn or for a permit does not become too old. */
  readonly isTooOld: boolean
}
export type Message = Heard<ClientMessageReceived> & WhenHeard
export type Waiting = Heard & WhenHeard

export const isErasure = (heard: Waiting | HeardErasure): heard is HeardErasure => heard.event.type === 'ChatErased'

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

/** The time at which a turn begins if nothing more is heard: the client is silent, or has written long enough. */
export const quietAt = (lastHeardAt: number, startedAt: number, { quietMs, atMostMs }: Turns): number =>
  Math.min(lastHeardAt + quietMs, startedAt + atMostMs)

export type ChatQueue = ReturnType<typeof chatQueue>

/** The events of a chat that are not handled yet. `isTurn`: whether a message waits for a turn. */
export const chatQueue = (isTurn: (heard: Waiting | HeardErasure) => heard is Message) => {
  const waiting: Array<Waiting | HeardErasure> = []
  let wake = () => {}
  /** The messages at the head of the queue. */
  const messages = (): ReadonlyArray<Message> => {
    const found: Message[] = []
    for (const heard of waiting) {
      if (!isTurn(heard)) break
      found.push(heard)
    }
    return found
  }
  return {
    messages,
    /** Whether no other event waits behind the messages. */
    hasOnlyMessages: () => waiting.every(isTurn),
    head: () => waiting[0],
    /** Each new event wakes a turn that waits for silence, and a handler that runs. */
    add: (heard: Waiting | HeardErasure): void => {
      waiting.push(heard)
      wake()
    },
    finish: (count: number): void => {
      for (const heard of waiting.slice(0, count)) heard.finish()
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
