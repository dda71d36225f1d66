import * as t from 'io-ts'
import { isPersonal } from '../../../contracts/personal.ts'
import { ClosedType } from '../../../contracts/primitives.ts'
import { isJsonObject } from '../../bridge/shared/json.ts'
import { fieldsOf, isObjectCodec, type Leaves, leaves as usual } from './codecs.ts'
import { type Json, refTo, type Schema } from './schema.ts'

/** The description of a field, by its path in the part. */
export type FieldDoc = (path: string) => string | undefined

/** A codec with its own name and description, and so with its own definition. */
export type Part = { readonly name: string; readonly description: string; readonly fieldDoc: FieldDoc }
export type PartOf = (codec: t.Mixed) => Part | undefined

/** The schema of a codec in a field of the part, or of the part itself. */
type SchemaOf = (codec: t.Mixed, field?: string) => Schema

/** Tools ignore keywords beside `$ref`, so a field's own description is put around the reference. */
const described = (schema: Schema, description: string | undefined): Schema => {
  if (description === undefined) return schema
  return '$ref' in schema
    ? { title: String(schema.$ref).replace(/^.*\//, ''), description, allOf: [schema] }
    : { ...schema, description }
}

/** Whether generators make a type of the schema: an object, an enumeration, or a choice of objects. */
const isStructured = ({ properties, enum: values, oneOf }: Schema): boolean =>
  properties !== undefined || values !== undefined || oneOf !== undefined

const pascalCase = (name: string) =>
  name.replace(/(?:^|[^A-Za-z0-9]+)(.)/g, (_, letter: string) => letter.toUpperCase())

/** The constants that distinguish an object from the others of a choice, as one word. */
const constantsOf = (schema: Json): string =>
  Object.values(isJsonObject(schema) && isJsonObject(schema.properties) ? schema.properties : {})
    .flatMap((field) => (isJsonObject(field) && typeof field.const === 'string' ? [field.const.toLowerCase()] : []))
    .join('-')

/** Adds titles to the schema and to every object and enumeration inside it. Generators make type names from them. */
export const titled = (schema: Schema, title: string): Schema => {
  const inside = (part: Json | undefined, name: string) =>
    isJsonObject(part) ? titled(part, title + pascalCase(name)) : part
  const { properties, items, oneOf, additionalProperties } = schema
  return {
    ...(isStructured(schema) && { title }),
    ...schema,
    ...(isJsonObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, part]) => [name, inside(part, name) ?? null]),
      ),
    }),
    ...(isJsonObject(items) && { items: titled(items, `${title}Item`) }),
    ...(Array.isArray(oneOf) && { oneOf: oneOf.map((member) => inside(member, constantsOf(member)) ?? null) }),
    ...(isJsonObject(additionalProperties) && { additionalProperties: titled(additionalProperties, `${title}Value`) }),
  }
}

const objectSchema = (codec: t.Mixed, schemaOf: SchemaOf, fieldDoc: FieldDoc): Schema => {
  const { required, optional, others } = fieldsOf(codec)
  const properties = Object.entries({ ...required, ...optional }).map(([name, field]) => [
    name,
    described(schemaOf(field, name), fieldDoc(name)),
  ])
  const names = Object.keys(required)
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(names.length > 0 && { required: names }),
    ...(others && { additionalProperties: schemaOf(others) }),
    ...(codec instanceof ClosedType && { additionalProperties: false }),
  }
}

const besideChoices: ReadonlySet<string> = new Set(['anyOf', 'description', 'x-personal'])

const restricting = ['type', 'anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const', '$ref']

/** A choice within a choice would be a type of its own for generators, with a name that others have too. */
const orNull = (schema: Schema): Schema => {
  if (!restricting.some((keyword) => keyword in schema)) return schema
  if (typeof schema.type === 'string' && !('enum' in schema || 'const' in schema))
    return { ...schema, type: [schema.type, 'null'] }
  return Array.isArray(schema.anyOf) && Object.keys(schema).every((key) => besideChoices.has(key))
    ? { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] }
    : { anyOf: [schema, { type: 'null' }] }
}

const typeOf = (value: Json): string => (value === null ? 'null' : typeof value)

/** The field whose constant distinguishes several objects. */
const tagOf = (members: ReadonlyArray<t.Mixed>): string | undefined => {
  if (!members.every(isObjectCodec)) return undefined
  const constants = members.map((member) =>
    Object.entries(fieldsOf(member).required).flatMap(([name, field]) =>
      field instanceof t.LiteralType ? [name] : [],
    ),
  )
  return constants[0]?.find((name) => constants.every((names) => names.includes(name)))
}

const unionSchema = (members: ReadonlyArray<t.Mixed>, schemaOf: SchemaOf, style: Style): Schema => {
  const literals = members.flatMap((member) => (member instanceof t.LiteralType ? [member.value as Json] : []))
  if (literals.length === members.length) {
    if (new Set(literals.map(typeOf)).size > 1) throw new Error('a union has literals of several types')
    return { type: typeOf(literals[0] ?? null), enum: literals }
  }
  const tag = tagOf(members)
  if (tag !== undefined) return { oneOf: members.map((member) => schemaOf(member)), ...style.discriminator?.(tag) }
  const others = members.filter((member) => !(member instanceof t.NullType)).map((member) => schemaOf(member))
  const [only, another] = others
  if (only === undefined) return { type: 'null' }
  if (others.length === members.length) return { anyOf: others }
  if (another !== undefined) return { anyOf: [...others, { type: 'null' }] }
  return style.withoutNull ? only : orNull(only)
}

/** JSON Schema has the same names for these. */
const primitives = [t.StringType, t.NumberType, t.BooleanType, t.NullType]

/**
 * The codec's schema, its parts by `schemaOf`. Throws for a codec with its own validation that `leaves` does not know.
 */
const keywordsOf = (codec: t.Mixed, style: Style, schemaOf: SchemaOf, fieldDoc: FieldDoc): Schema => {
  if (isObjectCodec(codec)) return objectSchema(codec, schemaOf, fieldDoc)
  if (codec instanceof t.UnionType) return unionSchema(codec.types, schemaOf, style)
  if (codec instanceof t.KeyofType) return { type: 'string', enum: Object.keys(codec.keys) }
  if (codec instanceof t.LiteralType) return { type: typeOf(codec.value), const: codec.value, enum: [codec.value] }
  if (codec instanceof t.ArrayType) return { type: 'array', items: schemaOf(codec.type) }
  if (codec instanceof t.AnyDictionaryType) return { type: 'object' }
  if (codec instanceof t.DictionaryType && codec.domain instanceof t.StringType)
    return { type: 'object', additionalProperties: schemaOf(codec.codomain) }
  if (primitives.some((primitive) => codec instanceof primitive)) return { type: codec.name }
  const leaf = style.leaves[codec.name]
  if (leaf === undefined) throw new Error(`the codec ${codec.name} has no JSON Schema: add it to codecs.ts`)
  return leaf(schemaOf)
}

const shapeOf = (...given: Parameters<typeof keywordsOf>): Schema => ({
  ...keywordsOf(...given),
  ...(isPersonal(given[0]) && { 'x-personal': true }),
})

/** How schemas are written for their readers. */
export type Style = {
  readonly leaves: Leaves
  /** The keyword that names the field by which readers choose one of several objects. JSON Schema has none. */
  readonly discriminator?: (field: string) => Schema
  /** Fields that also accept null are described without it, because generators would make a union of them. */
  readonly withoutNull?: true
}

const plain: Style = { leaves: usual }

export type Compiled = {
  readonly schemas: ReadonlyArray<Schema>
  readonly definitions: Readonly<Record<string, Schema>>
}

const unsaid: FieldDoc = () => undefined

/**
 * The schemas of what the codecs accept, in their order, and the definitions that they refer to under `place`: one for
 * each codec that `partOf` names. Other fields stay allowed, because readers ignore them. `fieldDoc` is for codecs that
 * are no parts. Throws if two codecs have one name, or if a codec with its own validation is not among the leaves.
 */
export const compile = (
  codecs: ReadonlyArray<t.Mixed>,
  partOf: PartOf,
  place: string,
  style: Style = plain,
  fieldDoc: FieldDoc = unsaid,
): Compiled => {
  const { leaves } = style
  const found = new Map<string, { readonly codec: t.Mixed; schema: Schema }>()
  const inside = (outer: FieldDoc): SchemaOf => {
    const here: SchemaOf = (codec, field) => {
      const docs: FieldDoc = field === undefined ? outer : (path) => outer(`${field}.${path}`)
      const part = partOf(codec)
      if (part === undefined) return shapeOf(codec, style, inside(docs), docs)
      const shape = () => shapeOf(codec, style, inside(part.fieldDoc), part.fieldDoc)
      if (codec.name in leaves || !isObjectCodec(codec)) {
        const own = shape()
        if (!('enum' in own))
          return { ...('oneOf' in own && { title: part.name }), ...own, description: part.description }
      }
      const known = found.get(part.name)
      if (known !== undefined && known.codec !== codec) throw new Error(`two codecs are named ${part.name}`)
      if (known === undefined) {
        const entry = { codec, schema: {} }
        found.set(part.name, entry)
        entry.schema = titled({ title: part.name, description: part.description, ...shape() }, part.name)
      }
      return refTo(place, part.name)
    }
    return here
  }
  const schemas = codecs.map((codec) => inside(fieldDoc)(codec))
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, { schema }]) => [name, schema])
  return { schemas, definitions: Object.fromEntries(sorted) }
}
