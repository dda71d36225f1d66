import * as t from 'io-ts'
import { type Published, published } from './catalogue.ts'
import { compile, type PartOf } from './json-schema.ts'
import { leaves, leavesOfRequests } from './leaves.ts'
import { dialect, type Schema } from './schema.ts'

const exactly =
  'Whoever writes it writes these fields only, and leaves out those that have no value. Whoever reads it ignores fields that it does not know: later versions of the bridge may add some.'
const openly = 'Other fields may stand beside these.'

/** What a published codec's docstring says, and how the schema is to be read. */
const descriptionOf = ({ codec, describedBy }: Published, partOf: PartOf): string => {
  const description = partOf(describedBy)?.description
  if (description === undefined) throw new Error(`the codec ${describedBy.name} is not exported by contracts/`)
  return `${description}\n\n${codec instanceof t.ExactType ? exactly : openly}`
}

/** One schema with everything that it refers to in its `$defs`. */
export const schemaDocument = (entry: Published, partOf: PartOf): Schema => {
  const partsOnly: PartOf = (codec) => (codec === entry.codec ? undefined : partOf(codec))
  const { schemas, definitions } = compile(
    [entry.codec],
    partsOnly,
    '$defs',
    entry.asRequest ? leavesOfRequests : leaves,
    partOf(entry.describedBy)?.fieldDoc,
  )
  return {
    $schema: dialect,
    $id: entry.id,
    title: entry.name.replace(/\.v\d+$/, ''),
    description: descriptionOf(entry, partOf),
    ...schemas[0],
    ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
  }
}

/** Every published schema by its name. */
export const schemaDocuments = (partOf: PartOf): ReadonlyMap<string, Schema> =>
  new Map(published.map((entry) => [entry.name, schemaDocument(entry, partOf)]))
