import { isDeepStrictEqual } from 'node:util'
import { type ChatMessage, writers } from '../../../contracts/events/chat.ts'
import type { Dated } from '../../../contracts/views/dated.ts'
import { msBetween } from './fields.ts'

export type Line = Dated<ChatMessage>

/** Whose line of the log it is; undefined if the service's word for it is not known. */
export const writerOf = ({ type }: Pick<Line, 'type'>): 'client' | 'agent' | 'bot' | undefined =>
  type !== undefined && Object.hasOwn(writers, type) ? writers[type] : undefined

/** Milliseconds from the visitor's first message to the agent's next one. Undefined if there is no such pair. */
export const firstResponseMs = (log: ReadonlyArray<Line>): number | undefined => {
  const asked = log.findIndex((line) => writerOf(line) === 'client')
  const question = log[asked]
  const answer = log.slice(asked + 1).find((line) => writerOf(line) === 'agent')
  return question?.timestamp && answer?.timestamp ? msBetween(question.timestamp, answer.timestamp) : undefined
}

/** The newest messages of a log, with at most `maxBytes` bytes of JSON together. */
export const newestMessages = (log: ReadonlyArray<Line>, maxBytes: number): Line[] => {
  let first = log.length
  for (let bytes = 0; first > 0; first--) {
    bytes += Buffer.byteLength(JSON.stringify(log[first - 1]))
    if (bytes > maxBytes) break
  }
  return log.slice(first)
}

/**
 * The whole log of a chat. A chat that was opened again is finished with a log that either has all messages or begins
 * where the former log ended. Lines of the former log stay if they are older than the first line of the new one.
 */
export const wholeLog = (former: ReadonlyArray<Line>, log: ReadonlyArray<Line>): ReadonlyArray<Line> => {
  const begin = log.find(({ timestamp }) => timestamp !== undefined)?.timestamp
  if (begin === undefined) return [...former, ...log]
  const isOnlyInFormer = (line: Line) =>
    line.timestamp !== undefined &&
    (line.timestamp < begin ||
      (line.timestamp.getTime() === begin.getTime() && !log.some((other) => isDeepStrictEqual(line, other))))
  return [...former.filter(isOnlyInFormer), ...log]
}
