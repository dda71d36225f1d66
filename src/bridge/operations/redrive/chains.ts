import type { Instant } from '../../../../contracts/primitives.ts'
import { memoryIdOf } from './dead-letters.ts'
import type { Found, FoundDeadLetter } from './find.ts'

/** `erased`: the person was erased since, so the letter cannot be sent, and nobody must act on it. */
export type LetterState = 'unresolved' | 'sent' | 'failed-again' | 'erased'

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
  /** Its person was erased since. */
  readonly erased?: true
}

/** All letters of one record, which is one reply or one event. */
type Chain<A> = {
  readonly newest: A
  /** Its earlier failures, oldest first. */
  readonly earlier: ReadonlyArray<A>
  readonly state: LetterState
}

const recordOf = ({ key, topic, consumer, firstFailedAt, checksum }: Chained) =>
  JSON.stringify([topic, consumer, key, firstFailedAt, checksum])

const stateOf = ({ sentAt, redriven, erased }: Chained): LetterState => {
  if (sentAt.length > 0) return 'sent'
  if (erased) return 'erased'
  return redriven > 0 ? 'failed-again' : 'unresolved'
}

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

/** What a dead letter is recognised by. */
export const chainedOf = <A extends FoundDeadLetter>(letter: A) => ({
  ...letter,
  topic: letter.origin.topic,
  failure: memoryIdOf(letter),
})

/** How many records of those that match still need somebody. Undefined while it is not known which were sent again. */
export const unresolvedIn = ({ letters, others }: Found<FoundDeadLetter>): number | undefined => {
  const examined = [...letters, ...others].flatMap(({ sentAt, ...letter }, i) =>
    sentAt === undefined ? [] : [{ ...chainedOf(letter), sentAt, fits: i < letters.length }],
  )
  if (examined.length < letters.length + others.length) return undefined
  const all = chainsOf(examined.sort((a, b) => Date.parse(a.failedAt) - Date.parse(b.failedAt)))
  return all.filter(({ newest, state }) => newest.fits && isIn('unresolved', state)).length
}
