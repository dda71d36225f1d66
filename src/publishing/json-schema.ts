import * as t from 'io-ts'
import { fieldsOf, isObjectCodec, type Leaves, leaves as usual } from './codecs.ts'
import { type Json, refTo, type Schema } from './schema.ts'

/** What is said of a field, by its path in the part. */
export type FieldDoc = (path: string) => string | undefined

/** A codec that has a name and a description of its own, and so a definition of its own. */
export type Part = { readonly name: string; readonly description: string; readonly fieldDoc: FieldDoc }
export type PartOf = (codec: t.Mixed) => Part | undefined

/** The schema of a codec that stands in a field of the part, or in the part itself. */
type SchemaOf = (codec: t.Mixed, field?: string) => Schema

const objectSchema = (codec: t.Mixed, schemaOf: SchemaOf, fieldDoc: FieldDoc): Schema => {
  const { required, optional, others } = fieldsOf(codec)
  const properties = Object.entries({ ...required, ...optional }).map(([name, field]) => {
    const description = fieldDoc(name)
    return [name, { ...(description !== undefined && { description }), ...schemaOf(field, name) }]
  })
  const names = Object.keys(required)
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(names.length > 0 && { required: names }),
    ...(others && { additionalProperties: schemaOf(others) }),
  }
}

const orNull = (schema: Schema): Schema =>
  typeof schema.type === 'string' && !('enum' in schema || 'const' in schema)
    ? { ...schema, type: [schema.type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] }

const typeOf = (value: Json): string => (value === null ? 'null' : typeof value)

const unionSchema = (members: ReadonlyArray<t.Mixed>, schemaOf: SchemaOf): Schema => {
  const literals = members.flatMap((member) => (member instanceof t.LiteralType ? [member.value as Json] : []))
  if (literals.length === members.length) {
    if (new Set(literals.map(typeOf)).size > 1) throw new Error('a union has literals of several types')
    return { type: typeOf(literals[0] ?? null), enum: literals }
  }
  const others = members.filter((member) => !(member instanceof t.NullType)).map((member) => schemaOf(member))
  const [only, another] = others
  if (only === undefined) return { type: 'null' }
  if (others.length === members.length) return { anyOf: others }
  return another === undefined ? orNull(only) : { anyOf: [...others, { type: 'null' }] }
}

/** They are named as JSON Schema names them. */
const primitives = [t.StringType, t.NumberType, t.BooleanType, t.NullType]

/** The codec's schema, its parts by `schemaOf`. Throws where a codec decides for itself and `leaves` does not know it. */
const shapeOf = (codec: t.Mixed, leaves: Leaves, schemaOf: SchemaOf, fieldDoc: FieldDoc): Schema => {
  if (isObjectCodec(codec)) return objectSchema(codec, schemaOf, fieldDoc)
  if (codec instanceof t.UnionType) return unionSchema(codec.types, schemaOf)
  if (codec instanceof t.KeyofType) return { type: 'string', enum: Object.keys(codec.keys) }
  if (codec instanceof t.LiteralType) return { type: typeOf(codec.value), const: codec.value }
  if (codec instanceof t.ArrayType) return { type: 'array', items: schemaOf(codec.type) }
  if (codec instanceof t.AnyDictionaryType) return { type: 'object' }
  if (codec instanceof t.DictionaryType && codec.domain instanceof t.StringType)
    return { type: 'object', additionalProperties: schemaOf(codec.codomain) }
  if (primitives.some((primitive) => codec instanceof primitive)) return { type: codec.name }
  const leaf = leaves[codec.name]
  if (leaf === undefined) throw new Error(`the codec ${codec.name} has no JSON Schema: add it to leaves.ts`)
  return leaf(schemaOf)
}

export type Compiled = {
  readonly schemas: ReadonlyArray<Schema>
  readonly definitions: Readonly<Record<string, Schema>>
}

const unsaid: FieldDoc = () => undefined

/**
 * The schemas of what the codecs accept, in their order, and the definitions that they refer to under `place`: one for each
 * codec that `partOf` names. Fields beyond the named ones stay allowed, as reading is tolerant. `fieldDoc` is for codecs that
 * are no parts. Throws where two codecs have one name, and for a codec that decides for itself and is not among the leaves.
 */
export const compile = (
  codecs: ReadonlyArray<t.Mixed>,
  partOf: PartOf,
  place: string,
  leaves: Leaves = usual,
  fieldDoc: FieldDoc = unsaid,
): Compiled => {
  const found = new Map<string, { readonly codec: t.Mixed; schema: Schema }>()
  const inside = (outer: FieldDoc): SchemaOf => {
    const here: SchemaOf = (codec, field) => {
      const docs: FieldDoc = field === undefined ? outer : (path) => outer(`${field}.${path}`)
      const part = partOf(codec)
      if (part === undefined) return shapeOf(codec, leaves, inside(docs), docs)
      const known = found.get(part.name)
      if (known !== undefined && known.codec !== codec) throw new Error(`two codecs are named ${part.name}`)
      if (known === undefined) {
        const entry = { codec, schema: {} }
        found.set(part.name, entry)
        const shape = shapeOf(codec, leaves, inside(part.fieldDoc), part.fieldDoc)
        entry.schema = { description: part.description, ...shape }
      }
      return refTo(place, part.name)
    }
    return here
  }
  const schemas = codecs.map((codec) => inside(fieldDoc)(codec))
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, { schema }]) => [name, schema])
  return { schemas, definitions: Object.fromEntries(sorted) }
}
