import type { PartOf } from '../../kafka/read-topic.ts'
import type { Letter, OriginTopic } from './letter.ts'

/** Which dead letters are meant: all that fit everything that is given. Times in ms since 1970, of the letter's own failure. */
export type Filters = {
  readonly topic?: OriginTopic
  readonly cause?: string
  readonly consumer?: string
  /** Inclusive. */
  readonly since?: number
  /** Exclusive. */
  readonly until?: number
  /** Places on dead-letters: `partition/offset`. */
  readonly id?: ReadonlyArray<string>
}

const unset = (wanted: unknown) => wanted === undefined

export const matches =
  ({ topic, cause, consumer, since, until, id }: Filters) =>
  (letter: Letter): boolean => {
    const at = Date.parse(letter.failedAt)
    return (
      (unset(topic) || letter.origin.topic === topic) &&
      (unset(cause) || letter.cause === cause) &&
      (unset(consumer) || letter.consumer === consumer) &&
      (since === undefined || at >= since) &&
      (until === undefined || at < until) &&
      (id === undefined || id.includes(letter.id))
    )
  }

/** What has to be read of dead-letters to see these places, or all of it where none are given. */
export const partOf =
  (places: ReadonlyArray<string> | undefined): PartOf =>
  (partition, whole) => {
    if (places === undefined) return whole
    const offsets = places
      .filter((place) => place.startsWith(`${partition}/`))
      .map((place) => Number(place.split('/')[1]))
      .filter((offset) => offset >= whole.low && offset < whole.high)
    return offsets.length === 0
      ? { low: whole.high, high: whole.high }
      : { low: Math.min(...offsets), high: Math.max(...offsets) + 1 }
  }
