import type * as t from 'io-ts'
import type { DomainEvent } from './index.ts'

/**
 * An earlier version of an event: the codec of its data, and the conversion to the data of the next version. `upcast`
 * is pure and defined for everything that `codec` accepts. The codec of the next version checks its output.
 */
export type EarlierVersion = {
  readonly type: DomainEvent['type']
  readonly codec: t.Mixed
  readonly upcast: (data: unknown) => unknown
}

/** A typed entry: `upcast` takes the output of the codec. */
export const earlierVersion = <A>(
  type: DomainEvent['type'],
  codec: t.Type<A, unknown, unknown>,
  upcast: (data: A) => unknown,
): EarlierVersion => ({ type, codec, upcast: (data) => upcast(data as A) })

/** The earlier versions of all events, an event's oldest first. Empty: every event still has its first version. */
export const earlierVersions: ReadonlyArray<EarlierVersion> = []

/** The version of an event that the bridge writes today: 1 plus the number of earlier versions. */
export const versionOf = (type: DomainEvent['type'], earlier = earlierVersions): number =>
  1 + earlier.filter((version) => version.type === type).length
