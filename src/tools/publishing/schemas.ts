import * as t from 'io-ts'
import { ClosedType } from '../../../contracts/primitives.ts'
import { type Published, published } from './catalogue.ts'
import { leaves, leavesOfRequests } from './codecs.ts'
import { compile, type PartOf, type Style, titled } from './json-schema.ts'
import { dialect, type Schema } from './schema.ts'

const exactly =
  'Writers write only these fields and leave out fields without a value. Readers ignore fields that they do not know, because later versions of the bridge may add some.'
const openly = 'Other fields may be present.'
const closed = 'Other fields are refused.'

/** The docstring of a published codec, and how readers and writers treat other fields. */
const descriptionOf = ({ codec, describedBy }: Published, partOf: PartOf): string => {
  const description = partOf(describedBy)?.description
  if (description === undefined) throw new Error(`the codec ${describedBy.name} is not exported by contracts/`)
  return `${description}\n\n${codec instanceof ClosedType ? closed : codec instanceof t.ExactType ? exactly : openly}`
}

/** The schema of a published codec under its name without the version, and the parts that it refers to in `place`. */
export const schemaWithParts = (
  entry: Published,
  partOf: PartOf,
  place: string,
  style: Style = { leaves: entry.asRequest ? leavesOfRequests : leaves },
): { readonly title: string; readonly schema: Schema; readonly definitions: Readonly<Record<string, Schema>> } => {
  const partsOnly: PartOf = (codec) => (codec === entry.codec ? undefined : partOf(codec))
  const { schemas, definitions } = compile([entry.codec], partsOnly, place, style, partOf(entry.describedBy)?.fieldDoc)
  const title = entry.name.replace(/\.v\d+$/, '')
  const schema = { title, description: descriptionOf(entry, partOf), ...titled(schemas[0] ?? {}, title) }
  return { title, schema, definitions }
}

/** One schema with all definitions that it refers to in its `$defs`. */
export const schemaDocument = (entry: Published, partOf: PartOf): Schema => {
  const { schema, definitions } = schemaWithParts(entry, partOf, '$defs')
  return {
    $schema: dialect,
    $id: entry.id,
    ...schema,
    ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
  }
}

/** Every published schema by its name. */
export const schemaDocuments = (partOf: PartOf): ReadonlyMap<string, Schema> =>
  new Map(published.map((entry) => [entry.name, schemaDocument(entry, partOf)]))
