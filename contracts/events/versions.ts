import type * as t from 'io-ts'
import type { DomainEvent } from './index.ts'

/**
 * A version that an event had before: the codec of its data then, and how that is made the data of the version after it.
 * `upcast` is pure and defined for whatever `codec` accepts; its output is checked by the codec of the next version.
 */
export type EarlierVersion = {
  readonly type: DomainEvent['type']
  readonly codec: t.Mixed
  readonly upcast: (data: unknown) => unknown
}

/** A typed entry: `upcast` takes what the codec gives. */
export const earlierVersion = <A>(
  type: DomainEvent['type'],
  codec: t.Type<A, unknown, unknown>,
  upcast: (data: A) => unknown,
): EarlierVersion => ({ type, codec, upcast: (data) => upcast(data as A) })

/** Those of all events, an event's oldest first. Every event has its first version still. */
export const earlierVersions: ReadonlyArray<EarlierVersion> = []

/** The version of an event that is written today: 1, and one more for each that it had before. */
export const versionOf = (type: DomainEvent['type'], earlier = earlierVersions): number =>
  1 + earlier.filter((version) => version.type === type).length
