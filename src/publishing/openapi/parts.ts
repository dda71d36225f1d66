import type * as t from 'io-ts'
import type { PartOf } from '../json-schema.ts'
import type { Json, JsonObject, Schema } from '../schema.ts'

const schemas = 'components/schemas'

/** A reference to the schema of an exported codec. */
export type Ref = (codec: t.Mixed) => Schema
export const refs =
  (partOf: PartOf): Ref =>
  (codec) => {
    const part = partOf(codec)
    if (part === undefined) throw new Error(`the codec ${codec.name} is not exported by contracts/`)
    return { $ref: `#/${schemas}/${part.name}` }
  }
export const place = schemas

export const anyOf = (codecs: ReadonlyArray<t.Mixed>, ref: Ref): ReadonlyArray<Schema> => codecs.map(ref)

/** Examples by their names. */
export const examples = (values: Readonly<Record<string, Json>>): JsonObject =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]))

export const jsonBody = (schema: Schema, values: Readonly<Record<string, Json>>): JsonObject => ({
  'application/json': { schema, examples: examples(values) },
})

export const header = (description: string, schema: Schema, required = true): JsonObject => ({
  description,
  required,
  schema,
})

export const textSchema: Schema = { type: 'string' }
export const secondsSchema: Schema = { type: 'integer', minimum: 1 }

/** The last part of a path: a secret that names the account. */
export const tokenParameter = (description: string): JsonObject => ({
  name: 'token',
  in: 'path',
  required: true,
  description,
  schema: { type: 'string', minLength: 16, maxLength: 255 },
  example: 'at-least-16-characters',
})
