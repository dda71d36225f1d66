import type { Db, IndexDescription } from 'mongodb'
import type { ViewName } from '../../contracts/views.ts'
import { ensureConsoleIndexes } from './console-sessions.ts'
import { ensureFlatViews } from './flat-views.ts'

const by = (...fields: ReadonlyArray<string>): IndexDescription => ({
  key: Object.fromEntries(['accountId', ...fields].map((field) => [field, 1])),
})

/** An index of only the documents that have the field. It is small if few have it. */
const where = (field: string, ...others: ReadonlyArray<string>): IndexDescription => ({
  ...by(field, ...others),
  partialFilterExpression: { [field]: { $exists: true } },
})

/** With this collation, texts are equal that differ only in capital and small letters. */
export const inAnyCase = { locale: 'en', strength: 2 }

/** Indexes of the fields that link a person's documents. */
const links = [
  where('visitor.number'),
  where('visitor.email'),
  { ...where('visitor.email'), name: 'visitor.email in any case', collation: inAnyCase },
  where('visitor.phone'),
]

/**
 * Indexes for the queries of analysts, always of one account: by time, agent, widget, state, phone, email. Also for the
 * queries that compute daily_stats.
 */
export const indexes: { readonly [V in ViewName | 'erasures']: ReadonlyArray<IndexDescription> } = {
  chats: [
    by('lastEventAt'),
    where('acceptedAt'),
    where('finishedAt'),
    by('state', 'lastEventAt'),
    by('widgetId', 'lastEventAt'),
    by('agents.id', 'lastEventAt'),
    where('userToken'),
    ...links,
  ],
  calls: [
    by('firstEventAt'),
    by('state', 'firstEventAt'),
    by('widgetId', 'firstEventAt'),
    where('agent.id', 'firstEventAt'),
    by('phone'),
    ...links,
  ],
  clients: [
    by('lastEventAt'),
    by('widgetId'),
    where('assignedAgent.id'),
    where('status.id'),
    where('organization.id'),
    where('userToken'),
    ...links,
  ],
  offline_messages: [by('receivedAt'), by('widgetId', 'receivedAt'), by('chatId'), where('userToken'), ...links],
  conversations: [
    by('startedAt'),
    by('lastEventAt'),
    by('state', 'lastEventAt'),
    by('outcome', 'startedAt'),
    where('awaitingReplySince'),
    where('silentSince', 'lastEventAt'),
    where('clientId'),
  ],
  timeline: [by('chatId', 'time', 'offset'), by('time'), by('type', 'time'), where('clientId', 'time')],
  sessions: [
    where('acceptedAt'),
    where('endsAt'),
    { key: { latestOf: 1 }, partialFilterExpression: { latestOf: { $exists: true } } },
    { key: { 'audit.state': 1 }, partialFilterExpression: { 'audit.state': 'due' } },
    by('startedAt'),
    by('kind', 'startedAt'),
    by('outcome', 'startedAt'),
    // Few sessions have `repliesFailed`. This index has them in the order of their start.
    { ...by('startedAt', 'repliesFailed'), partialFilterExpression: { repliesFailed: { $exists: true } } },
    by('chatId', 'startedAt'),
    by('channelId', 'startedAt'),
    by('agents.id', 'startedAt'),
    where('clientId', 'startedAt'),
    where('visitorNumber', 'startedAt'),
  ],
  audit: [by('at', '_id'), by('action', 'at', '_id')],
  erasures: [by('requestedAt')],
  drift: [by('kind'), by('firstAt')],
  daily_stats: [by('day'), { key: { nextAt: 1 }, partialFilterExpression: { nextAt: { $exists: true } } }],
  daily_stats_by: [by('day'), by('by', 'id', 'day')],
  deliveries: [
    by('requestedAt'),
    by('state', 'requestedAt'),
    by('chatId', 'requestedAt'),
    by('clientId', 'requestedAt'),
    where('finishedAt', 'state'),
  ],
}

/**
 * Creates the missing indexes and the flat views. Resolves when they can be used. Throws if an index exists with other
 * options.
 */
export const ensureIndexes = async (db: Db): Promise<void> => {
  await Promise.all(
    Object.entries(indexes).map(([collection, descriptions]) =>
      db.collection(collection).createIndexes([...descriptions]),
    ),
  )
  await ensureConsoleIndexes(db)
  await ensureFlatViews(db)
}
