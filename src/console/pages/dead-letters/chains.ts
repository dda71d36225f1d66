import { BotReply } from '../../../../contracts/commands/bot-reply.ts'
import { DomainEvent } from '../../../../contracts/events/index.ts'
import type { Instant } from '../../../../contracts/primitives.ts'
import type { Problem } from '../../../../contracts/problem.ts'
import { topicOfName } from '../../../../contracts/topics.ts'
import { type Marks, marksOf } from '../../../bridge/domain/person/personal-data.ts'

export type LetterState = 'unresolved' | 'sent' | 'failed-again'

/** What a letter is recognised by when its record fails again: it becomes another letter, with a higher count. */
export type Chained = {
  readonly key: string
  readonly topic: string
  readonly consumer: string
  readonly firstFailedAt: string
  /** The same for equal content: two records of a chat may fail in the same millisecond. */
  readonly checksum: number
  /** How often the record had been sent again before this failure. */
  readonly redriven: number
  /** The same for the copies of a failure that was kept twice. They were sent at the same times. */
  readonly failure: string
  readonly sentAt: ReadonlyArray<Instant>
}

/** All letters of one record, which is one reply or one event. */
export type Chain<A> = {
  readonly newest: A
  /** Its earlier failures, oldest first. */
  readonly earlier: ReadonlyArray<A>
  readonly state: LetterState
}

const recordOf = ({ key, topic, consumer, firstFailedAt, checksum }: Chained) =>
  JSON.stringify([topic, consumer, key, firstFailedAt, checksum])

const stateOf = ({ sentAt, redriven }: Chained): LetterState =>
  sentAt.length > 0 ? 'sent' : redriven > 0 ? 'failed-again' : 'unresolved'

/** Without the copies of a failure. The copy whose record failed again, if one did, stands for both. */
const withoutCopies = <A extends Chained>(letters: ReadonlyArray<A>): ReadonlyArray<A> => {
  const failedAgain = new Set(letters.filter(({ redriven }) => redriven > 0).map(recordOf))
  return [...Map.groupBy(letters, ({ failure }) => failure).values()].flatMap(
    (copies) => copies.find((copy) => failedAgain.has(recordOf(copy))) ?? copies.slice(0, 1),
  )
}

/**
 * The letters by record, in the order of the newest of each. They are given oldest first. Only the newest failure of a
 * record counts: the earlier ones have been sent again.
 */
export const chainsOf = <A extends Chained>(all: ReadonlyArray<A>): ReadonlyArray<Chain<A>> => {
  const letters = withoutCopies(all)
  const chains = Map.groupBy(
    letters.toSorted((a, b) => a.redriven - b.redriven),
    recordOf,
  )
  return letters.flatMap((letter) => {
    const chain = chains.get(recordOf(letter)) ?? []
    return chain.at(-1) === letter ? [{ newest: letter, earlier: chain.slice(0, -1), state: stateOf(letter) }] : []
  })
}

/** Somebody must still act on a letter that was never sent, and on one that failed again. */
export const isIn = (wanted: LetterState, state: LetterState): boolean =>
  state === wanted || (wanted === 'unresolved' && state === 'failed-again')

const namesIn = (marks: Marks): ReadonlyArray<string> => {
  if (typeof marks === 'string') return []
  if ('items' in marks) return namesIn(marks.items)
  if ('values' in marks) return namesIn(marks.values)
  return [...marks.fields].flatMap(([name, field]) => [name, ...namesIn(field.marks)])
}

/** Every field name of commands and events. Only these are shown: other names come from the sender. */
const knownNames: ReadonlySet<string> = new Set(
  [...BotReply.types, ...DomainEvent.types].flatMap((codec) => namesIn(marksOf(codec))),
)

/** A field of a request has its name on the wire, such as `chat_id`. */
const isKnown = (name: string) =>
  knownNames.has(name) || knownNames.has(name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))

/** The index of an item follows the name of its list. Other digits may be a part of a phone number. */
const isIndex = (part: string, i: number, parts: ReadonlyArray<string>) =>
  /^(0|[1-9]\d{0,2})$/.test(part) && isKnown(parts[i - 1] ?? '')

/** What was wrong with a record, without anything that its sender wrote. */
export const problemsText = (problems: ReadonlyArray<Problem>): string =>
  problems
    .map(({ path, expected }) => {
      const parts = path.split('.').filter((part) => part !== '')
      if (!parts.every((part, i) => isKnown(part) || isIndex(part, i, parts)))
        return 'a field that the contract does not know'
      return `${parts.length === 0 ? '' : `${parts.join('.')}: `}expected ${expected}`
    })
    .filter((words, i, all) => all.indexOf(words) === i)
    .slice(0, 5)
    .join('; ')

/** The chat of a letter, by the record's key. Undefined if the topic has no chats, or for keys of other producers. */
export const chatOf = (topic: string, key: string): string | undefined => {
  const [, chat] = /^[^/]+\/(\d{1,20}|[\w-]{1,64})$/.exec(key) ?? []
  return topicOfName(topic)?.key === 'chat' ? chat : undefined
}
