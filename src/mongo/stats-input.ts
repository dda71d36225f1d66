import type { Db, Document } from 'mongodb'
import { returnMs } from '../../contracts/metrics.ts'
import { spanOf } from '../domain/day.ts'
import { type Measured, measuredFields } from '../domain/figures.ts'
import type { StatsInput } from '../views/daily-stats.ts'
import type { AccountDay, StatsView, TimeZoneOf } from '../views/stats-days.ts'
import type { CollectionOf } from './apply.ts'
import { within } from './client.ts'

const queryMs = 60_000
/** Longer than `queryMs`, so MongoDB itself aborts a query first and reports why. */
const answerMs = queryMs + 5_000

const only = (fields: ReadonlyArray<string>) => Object.fromEntries(fields.map((field) => [field, 1]))

/** The latest end of a session that may be followed by a return. */
const lastEnd = (sessions: ReadonlyArray<Measured>): number =>
  sessions.reduce(
    (last, { kind, outcome, endsAt }) =>
      kind === 'bot' && outcome === 'contained' && endsAt !== undefined ? Math.max(last, endsAt.getTime()) : last,
    0,
  )

/** Reads a day's documents, only with the fields that are counted. Uses the live views unless others are named. */
export const readStatsInput = async (
  db: Db,
  { accountId, day }: AccountDay,
  timeZoneOf: TimeZoneOf,
  collectionOf: CollectionOf = (view) => view,
): Promise<StatsInput> => {
  const { from, to } = spanOf(day, timeZoneOf(accountId))
  const of = (view: StatsView) => db.collection(collectionOf(view))
  const onDay = (field: string, others: object = {}) => ({ accountId, [field]: { $gte: from, $lt: to }, ...others })

  /** MongoDB counts these documents: there may be one for every reply of the day. */
  const tallies = <D>(view: StatsView, match: object, ...fields: ReadonlyArray<string>) => {
    const alike = Object.fromEntries(fields.map((field) => [field, `$${field}`]))
    const stages: Document[] = [
      { $match: match },
      { $group: { _id: alike, documents: { $sum: 1 } } },
      { $replaceWith: { $mergeObjects: ['$_id', { documents: '$documents' }] } },
    ]
    return of(view).aggregate<D & { readonly documents: number }>(stages, { maxTimeMS: queryMs }).toArray()
  }

  const begunUntil = (end: number) =>
    of('sessions')
      .find(
        {
          accountId,
          kind: 'bot',
          startedAt: { $gte: from, $lte: new Date(end + returnMs) },
          clientMessages: { $gt: 0 },
        },
        { maxTimeMS: queryMs },
      )
      .project<StatsInput['begun'][number]>(only(['_id', 'clientId', 'startedAt']))
      .toArray()

  const sessionsOfDay = async () => {
    const sessions = await of('sessions')
      .find(onDay('startedAt'), { maxTimeMS: queryMs })
      .project<Measured>(only(measuredFields))
      .toArray()
    const end = lastEnd(sessions)
    return { sessions, begun: end === 0 ? [] : await begunUntil(end) }
  }

  const [{ sessions, begun }, accepted, finished, calls, offlineMessages, deliveries] = await within(
    answerMs,
    Promise.all([
      sessionsOfDay(),
      of('sessions').countDocuments(onDay('acceptedAt', { kind: 'agent' }), { maxTimeMS: queryMs }),
      tallies<StatsInput['finished'][number]>('sessions', onDay('endsAt', { kind: 'agent' }), 'rating'),
      tallies<StatsInput['calls'][number]>('calls', onDay('firstEventAt'), 'type', 'state'),
      of('offline_messages').countDocuments(onDay('receivedAt'), { maxTimeMS: queryMs }),
      tallies<StatsInput['deliveries'][number]>('deliveries', onDay('finishedAt'), 'state'),
    ]),
  )
  return { sessions, begun, accepted, finished, calls, offlineMessages, deliveries }
}
