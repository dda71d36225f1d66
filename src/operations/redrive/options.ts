import { InvalidArgumentError } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { Day, Instant } from '../../../contracts/primitives.ts'
import { type OriginTopic, originTopics } from './letter.ts'

const refuse = (expected: string) => {
  throw new InvalidArgumentError(`Expected ${expected}.`)
}

/** `2026-01-31` is its midnight in UTC; ms since 1970. */
export const timeOption = (text: string): number =>
  E.isRight(Instant.decode(text)) || E.isRight(Day.decode(text))
    ? Date.parse(text)
    : refuse('a time as 2026-01-31T23:59:59Z, or a day as 2026-01-31')

export const countOption = (text: string): number =>
  /^[1-9][0-9]{0,8}$/.test(text) ? Number(text) : refuse('a whole number, 1 or more')

export const placeOption = (text: string): string =>
  /^(0|[1-9][0-9]{0,8})\/(0|[1-9][0-9]{0,15})$/.test(text) ? text : refuse('an ID as list prints it: partition/offset')

export const placesOption = (text: string, before: ReadonlyArray<string> = []): ReadonlyArray<string> => [
  ...before,
  placeOption(text),
]

export const topicOption = (text: string): OriginTopic =>
  originTopics.find((name) => name === text) ?? refuse(`one of ${originTopics.join(', ')}`)
