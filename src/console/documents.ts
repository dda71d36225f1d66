import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import type { DomainEvent } from '../../contracts/events/index.ts'
import { Count, exactShape } from '../../contracts/primitives.ts'

/** The fields of a document that are only for the bridge itself (contracts/views/applied.ts, session.ts). */
export const notes = ['applied', 'seen', 'seenEarlier', 'contentHash', 'latestOf'] as const

/** A value as it is in an answer's JSON: times as RFC 3339, ids as any text. */
export type AsJson<T> = T extends Date | (string & t.Brand<unknown>)
  ? string
  : T extends ReadonlyArray<infer Item>
    ? ReadonlyArray<AsJson<Item>>
    : T extends object
      ? { readonly [K in keyof T]: AsJson<T[K]> }
      : T

/**
 * A document of a view in an answer: without the bridge's own fields. If it is masked, required text is empty, and
 * other personal fields are left out, so its type is the same.
 */
export type Shown<D> = D extends unknown ? AsJson<Omit<D, (typeof notes)[number]>> : never

const withoutNotes = (props: t.Props): t.Props =>
  Object.fromEntries(Object.entries(props).filter(([name]) => !notes.some((note) => note === name)))

/** The codec of a view's documents in answers. */
export const documentOf = <R extends t.Props, O extends t.Props>(document: ReturnType<typeof exactShape<R, O>>) => {
  type D = Shown<t.TypeOf<typeof document>>
  const [required, optional] = document.type.types
  const codec = exactShape(withoutNotes(required.props), withoutNotes(optional.props), document.name)
  return new t.Type<D, D, unknown>(
    codec.name,
    (u): u is D => E.isRight(codec.decode(u)),
    (u, context) => E.map(() => u as D)(codec.validate(u, context)),
    t.identity,
  )
}

const UnknownEvent = exactShape(
  {
    id: t.string,
    type: t.string,
    time: t.string,
    topic: t.string,
    partition: Count,
    offset: Count,
    data: t.record(t.string, t.unknown),
  },
  { extra: t.string, omitted: t.literal(true), erased: t.literal(true) },
  'StoryEvent',
)
/** An event of a type that a later bridge has written. A masked answer has no data of it. */
type UnknownEvent = Readonly<t.TypeOf<typeof UnknownEvent>>

export type EventType = DomainEvent['type']
/** An event's data in answers. It is empty if the event was erased, or is too large for `timeline`. */
export type DataOf<T extends EventType> = Partial<AsJson<Extract<DomainEvent, { readonly type: T }>['data']>>
/** An event of the story whose type the contracts have. */
export type KnownEvent<T extends EventType = EventType> = {
  [K in T]: Omit<UnknownEvent, 'type' | 'data'> & { readonly type: K; readonly data: DataOf<K> }
}[T]

/**
 * One event of the story. In a masked answer `data` has no personal leaves. `omitted`: the event has more than 1 MiB,
 * and only its record has the data. `erased`: the chat was erased later, and its personal data was deleted.
 */
export type StoryEvent = KnownEvent | UnknownEvent
export const StoryEvent: t.Type<StoryEvent, unknown> = UnknownEvent
