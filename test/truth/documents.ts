import { MongoClient } from 'mongodb'
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

/** Checks every document of every view in every database against the published schemas; gives the databases' names. */
export const checkDocuments = async (mongoUrl: string, { count }: Tally): Promise<ReadonlySet<string>> => {
  const client = new MongoClient(mongoUrl)
  const { databases } = await client.db().admin().listDatabases()
  const names = databases.map(({ name }) => name).filter((name) => !internal.has(name))
  for (const name of names)
    for (const [view, schema] of Object.entries(schemaOfView))
      for await (const document of client.db(name).collection(view).find())
        count(schema, `${name}.${view}/${document._id}`, misfit(schema, document))
  await client.close()
  return new Set(names)
}
