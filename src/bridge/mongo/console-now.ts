import type { Db } from 'mongodb'
import type { ConversationDocument } from '../../../contracts/views/conversation.ts'
import type { DailyStatsDocument } from '../../../contracts/views/daily-stats.ts'
import type { Span } from '../domain/day.ts'
import { bounded, type Known, known, viewIn } from './source.ts'

/** The start times of the counts, and the days whose statistics are read. */
export type NowAsked = {
  /** Conversations and chats with an event since this time count, and clients whose wait began since then. */
  readonly lately: Date
  /** Ids of daily_stats. */
  readonly days: ReadonlyArray<string>
  /** Sessions that began in the first span are those of today, in the second those of last week. */
  readonly spans: ReadonlyArray<Span>
  /** How many of the longest waits are read. */
  readonly longest: number
}

type Waiting = Pick<ConversationDocument, 'chatId' | 'awaitingReplySince'>
type State = Exclude<ConversationDocument['state'], 'closed'>

type Started = { readonly bot: number; readonly agent: number }

export type NowCounts = {
  readonly waiting: number
  readonly longest: ReadonlyArray<Waiting>
  readonly states: ReadonlyMap<State, number>
  readonly agentChats: number
  readonly started: { readonly today: Started; readonly lastWeek: Started }
  readonly days: ReadonlyMap<string, DailyStatsDocument>
}

const none: Started = { bot: 0, agent: 0 }
export const talking = ['bot', 'invited', 'agent', 'unavailable'] as const satisfies ReadonlyArray<State>

const readNow = async (db: Db, accountId: string, asked: NowAsked): Promise<NowCounts> => {
  const { lately, days, spans } = asked
  const conversations = viewIn(db, 'conversations')
  // Also clients for whom an agent was invited or no agent was available: nobody has answered them.
  const waits = { accountId, awaitingReplySince: { $gte: lately } }
  const states = [
    { $match: { accountId, state: { $in: [...talking] }, lastEventAt: { $gte: lately } } },
    { $group: { _id: '$state', count: { $sum: 1 } } },
  ]
  const startedIn = async ({ from, to }: Span): Promise<Started> => {
    const [bot = 0, agent = 0] = await Promise.all(
      ['bot', 'agent'].map((kind) =>
        viewIn(db, 'sessions').countDocuments({ accountId, kind, startedAt: { $gte: from, $lt: to } }, bounded),
      ),
    )
    return { bot, agent }
  }
  const longestFirst = { ...bounded, sort: { awaitingReplySince: 1 }, limit: asked.longest } as const
  const [waiting, longest, counts, agentChats, started, stats] = await Promise.all([
    conversations.countDocuments(waits, bounded),
    conversations.find(waits, longestFirst).project<Waiting>({ chatId: 1, awaitingReplySince: 1 }).toArray(),
    conversations.aggregate<{ readonly _id: State; readonly count: number }>(states, bounded).toArray(),
    viewIn(db, 'chats').countDocuments({ accountId, state: 'open', lastEventAt: { $gte: lately } }, bounded),
    Promise.all(spans.map(startedIn)),
    viewIn<{ _id: string }>(db, 'daily_stats')
      .find<DailyStatsDocument>({ _id: { $in: [...days] } }, bounded)
      .toArray(),
  ])
  return {
    waiting,
    longest,
    agentChats,
    started: { today: started[0] ?? none, lastWeek: started[1] ?? none },
    states: new Map(counts.map(({ _id, count }) => [_id, count])),
    days: new Map(stats.map((day) => [day._id, day])),
  }
}

export type Minute = { readonly at: Date; readonly events: number }

/** How many events came in each minute since `since`. MongoDB reads only the index of account and time. */
export const minutesIn =
  (db: Db) =>
  (accountId: string, since: Date): Known<ReadonlyArray<Minute>> => {
    const stages = [
      { $match: { accountId, time: { $gte: since } } },
      { $project: { _id: 0, time: 1 } },
      { $group: { _id: { $dateTrunc: { date: '$time', unit: 'minute' } }, events: { $sum: 1 } } },
      { $sort: { _id: 1 } },
      { $project: { _id: 0, at: '$_id', events: 1 } },
    ]
    return known(viewIn(db, 'timeline').aggregate<Minute>(stages, bounded).toArray())
  }

const countEvents = async (db: Db, accountId: string, { from, to }: Span): Promise<number | null> => {
  const timeline = viewIn(db, 'timeline')
  const count = await timeline.countDocuments({ accountId, time: { $gte: from, $lt: to } }, bounded)
  if (count > 0) return count
  const before = { ...bounded, projection: { _id: 0, time: 1 } } as const
  return (await timeline.findOne({ accountId, time: { $lt: from } }, before)) === null ? null : 0
}

/**
 * How many events came in a span of time. Null if the account had none by then: a quiet hour is not an unknown one.
 * MongoDB reads only the index of account and time.
 */
export const eventsIn =
  (db: Db) =>
  (accountId: string, span: Span): Known<number | null> =>
    known(countEvents(db, accountId, span))

/** What happens in an account now. */
export const nowIn =
  (db: Db) =>
  (accountId: string, asked: NowAsked): Known<NowCounts> =>
    known(readNow(db, accountId, asked))
