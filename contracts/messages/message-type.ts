import * as t from 'io-ts'
import { Text } from '../personal.ts'
import { nullable } from '../primitives.ts'
import { CommandTime } from '../wire.ts'

/** The fields of every message as bot logic writes it. */
export const ofReplies = {
  /** RFC 3339 with any offset, or Unix time. If left out, the time when the command was appended to the topic. */
  timestamp: nullable(CommandTime),
}

/** The fields of a message whose words are not in `text`, as bot logic writes it. */
export const withPlainText = {
  ...ofReplies,
  /** The message for the client. Beside `content` or `title`, the same message as plain text. */
  text: nullable(Text),
}

/** The fields of every message as the bridge sends it. */
export const ofOutbound = {
  /** When it was sent, in seconds since 1970. */
  timestamp: t.Int,
}

type Typed = { readonly type: string }
/** The part of a message that only its type has. */
type WireFields<Outbound> = Omit<Outbound, 'type' | 'text' | 'timestamp'>

/** Everything that is true of one type of a bot's message. */
type MessageSpec<Type extends string, Reply, Outbound, Own> = {
  readonly type: Type
  /** The message as bot logic writes it, in a BotMessage. */
  readonly reply: t.Type<Reply, unknown, unknown>
  /** The message as the bridge sends it to the service. */
  readonly outbound: t.Type<Outbound, unknown, unknown>
  /** The field with the words, and whether they are Markdown. */
  readonly words: keyof Reply & keyof Outbound & string
  readonly format: 'plain' | 'markdown'
  /** Whether transcripts can show nothing else than the words. */
  readonly isShownAsItIs?: true
  /** The lists whose items have a `text` that the client reads too, with the codec of an item. */
  readonly lists?: Readonly<Record<string, t.Mixed>>
  /** The fields that only this type has, as events have them. `text` and `timestamp` are the same for all types. */
  readonly ownFields: (message: Reply) => Own
  /** The same fields under the service's names. */
  readonly toWire: (own: Own) => WireFields<Outbound>
  /** What the service refuses beside what the codec does, as the service says it. */
  readonly refusals?: (message: Outbound) => ReadonlyArray<string>
  readonly example: Reply
  /** The table of the guide for bot authors: its fields, and their bounds. */
  readonly guide: { readonly fields: string; readonly bounds: string }
}

/** A type of message, without the type of its fields: so all types stand in one list. */
export type MessageType<Type extends string, Own> = Pick<
  MessageSpec<Type, Typed, Typed, Own>,
  'type' | 'format' | 'isShownAsItIs' | 'guide'
> & {
  readonly reply: t.Mixed
  readonly outbound: t.Mixed
  readonly words: string
  readonly lists: Readonly<Record<string, t.Mixed>>
  readonly example: Typed
  /** The words of a message, as bot logic wrote it or as it is sent. */
  readonly wordsOf: (message: Typed) => string
  /** The texts of its lists. */
  readonly answersOf: (message: Typed) => ReadonlyArray<string>
  readonly ownFields: (message: Typed) => Own
  readonly toWire: (own: Typed) => object
  readonly refusals: (message: Typed) => ReadonlyArray<string>
}

const textsIn = (list: unknown): ReadonlyArray<string> =>
  t.array(t.type({ text: t.string })).is(list) ? list.map(({ text }) => text) : []

/** A type of message from what is true of it alone. Each function gets messages of this type only. */
export const messageType = <const Type extends string, Reply extends Typed, Outbound extends Typed, Own>(
  spec: MessageSpec<Type, Reply, Outbound, Own>,
): MessageType<Type, Own> => ({
  ...spec,
  lists: spec.lists ?? {},
  wordsOf: (message) => String((message as Reply)[spec.words]),
  answersOf: (message) => Object.keys(spec.lists ?? {}).flatMap((list) => textsIn(Reflect.get(message, list))),
  ownFields: (message) => spec.ownFields(message as Reply),
  toWire: (message) => spec.toWire(message as Own & Typed),
  refusals: (message) => spec.refusals?.(message as Outbound) ?? [],
})
