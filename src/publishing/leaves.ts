import type * as t from 'io-ts'
import { Button } from '../../contracts/commands/bot-reply.ts'
import { Id, longestId, patterns } from '../../contracts/primitives.ts'
import { latestUnixTime, unixTimeText } from '../../contracts/wire.ts'
import type { Schema } from './schema.ts'

type SchemaOf = (codec: t.Mixed) => Schema
export type Leaves = Readonly<Record<string, (schemaOf: SchemaOf) => Schema>>

const text = ({ source }: RegExp): Schema => ({ type: 'string', pattern: source })
const either = (...alternatives: ReadonlyArray<Schema>): Schema => ({ anyOf: alternatives })

/**
 * What the codecs that decide for themselves accept, by their names. `format` says what no pattern can: that the day is in
 * the calendar.
 */
export const leaves: Leaves = {
  Instant: () => ({ ...text(patterns.Instant), format: 'date-time' }),
  Day: () => ({ ...text(patterns.Day), format: 'date' }),
  Id: () => ({ ...text(patterns.Id), maxLength: longestId, allOf: [{ pattern: patterns.NonBlank.source }] }),
  AccountId: () => text(patterns.AccountId),
  NonBlank: () => text(patterns.NonBlank),
  Digits: () => text(patterns.Digits),
  Count: () => ({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  Int: () => ({ type: 'integer' }),
  WireId: (schemaOf) =>
    either({ type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }, schemaOf(Id)),
  WireText: () => either({ type: 'string' }, { type: 'number' }),
  UnixTime: () => either({ type: 'number', minimum: 0, exclusiveMaximum: latestUnixTime }, text(unixTimeText)),
  Opaque: () => either({ type: 'object' }, { type: 'array' }),
  Buttons: (schemaOf) => ({ type: 'array', items: schemaOf(Button), minItems: 1, maxItems: 3 }),
}

/** The same in a request's body, where integers are read exactly whatever their size (those beyond 2^53 as their digits). */
export const leavesOfRequests: Leaves = {
  ...leaves,
  WireId: (schemaOf) => either({ type: 'integer' }, schemaOf(Id)),
}
