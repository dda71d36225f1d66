import type * as t from 'io-ts'
import type { MongoClient } from 'mongodb'
import { ErasureDocument } from '../../../contracts/views/erasure.ts'
import { contractOf, viewNames } from '../../../src/bridge/views/index.ts'
import { misfit } from './schemas.ts'
import type { Tally } from './tally.ts'

/** The codec of each view's documents; its schema is published under the same name. */
const codecOfView: Readonly<Record<string, t.Mixed>> = {
  ...Object.fromEntries(viewNames.map((name) => [name, contractOf(name).document])),
  erasures: ErasureDocument,
}

const internal = new Set(['admin', 'config', 'local'])

export const databasesOf = async (client: MongoClient): Promise<ReadonlyArray<string>> => {
  const { databases } = await client.db().admin().listDatabases()
  return databases.map(({ name }) => name).filter((name) => !internal.has(name))
}

/** The schema describes a document as JSON, where a date is text. The codec checks that MongoDB has a date. */
const problemOf = (codec: t.Mixed, document: object): string | undefined =>
  codec.is(document) ? misfit(codec.name, JSON.parse(JSON.stringify(document))) : 'does not match its codec'

/** Checks every document of every view in a database against its codec and the published schema. */
export const checkDatabase = async (client: MongoClient, name: string, { count }: Tally): Promise<void> => {
  for (const [view, codec] of Object.entries(codecOfView))
    for await (const document of client.db(name).collection(view).find())
      count(codec.name, `${name}.${view}/${document._id}`, problemOf(codec, document))
}
