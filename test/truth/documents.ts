import type * as t from 'io-ts'
import type { MongoClient } from 'mongodb'
import * as views from '../../contracts/views.ts'
import { misfit } from './schemas.ts'
import type { Tally } from './tally.ts'

/** The codec of each view's documents; its schema is published under the same name. */
export const codecOfView: Readonly<Record<views.ViewName | 'erasures', t.Mixed>> = {
  chats: views.ChatDocument,
  calls: views.CallDocument,
  clients: views.ClientDocument,
  offline_messages: views.OfflineMessageDocument,
  conversations: views.ConversationDocument,
  timeline: views.TimelineDocument,
  daily_stats: views.DailyStatsDocument,
  daily_stats_by: views.DailyStatsByDocument,
  sessions: views.SessionDocument,
  deliveries: views.DeliveryDocument,
  audit: views.AuditDocument,
  drift: views.DriftDocument,
  erasures: views.ErasureDocument,
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
