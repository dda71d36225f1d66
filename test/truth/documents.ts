import type { MongoClient } from 'mongodb'
import type { ViewName } from '../../contracts/views.ts'
import { misfit } from './schemas.ts'
import type { Tally } from './tally.ts'

/** The schema of each view's documents. */
export const schemaOfView: Readonly<Record<ViewName, string>> = {
  chats: 'ChatDocument',
  calls: 'CallDocument',
  clients: 'ClientDocument',
  offline_messages: 'OfflineMessageDocument',
  conversations: 'ConversationDocument',
  timeline: 'TimelineDocument',
  daily_stats: 'DailyStatsDocument',
  deliveries: 'DeliveryDocument',
}

const internal = new Set(['admin', 'config', 'local'])

export const databasesOf = async (client: MongoClient): Promise<ReadonlyArray<string>> => {
  const { databases } = await client.db().admin().listDatabases()
  return databases.map(({ name }) => name).filter((name) => !internal.has(name))
}

/** Checks every document of every view in a database against the published schemas. */
export const checkDatabase = async (client: MongoClient, name: string, { count }: Tally): Promise<void> => {
  for (const [view, schema] of Object.entries(schemaOfView))
    for await (const document of client.db(name).collection(view).find())
      count(schema, `${name}.${view}/${document._id}`, misfit(schema, document))
}
