import type { ChatMessage } from '../../contracts/events/chat.ts'
import type { Dated } from '../../contracts/views/dated.ts'
import { msBetween } from './fields.ts'

/** Lines of a bot, of the system or of an unknown author are from neither side. */
export const isFromAgent = ({ type }: Pick<ChatMessage, 'type'>): boolean => type === 'agent' || type === 'operator'
export const isFromClient = ({ type }: Pick<ChatMessage, 'type'>): boolean => type === 'visitor' || type === 'client'

/** Milliseconds from the visitor's first message to the agent's next one. Undefined if there is no such pair. */
export const firstResponseMs = (log: ReadonlyArray<Dated<ChatMessage>>): number | undefined => {
  const asked = log.findIndex(isFromClient)
  const question = log[asked]
  const answer = log.slice(asked + 1).find(isFromAgent)
  return question?.timestamp && answer?.timestamp ? msBetween(question.timestamp, answer.timestamp) : undefined
}

/** The newest messages of a log, with at most `mostBytes` bytes of JSON together. */
export const newestMessages = (log: ReadonlyArray<Dated<ChatMessage>>, mostBytes: number): Dated<ChatMessage>[] => {
  let first = log.length
  for (let bytes = 0; first > 0; first--) {
    bytes += Buffer.byteLength(JSON.stringify(log[first - 1]))
    if (bytes > mostBytes) break
  }
  return log.slice(first)
}
