import type { Db } from 'mongodb'
import type { ConversationDocument } from '../../contracts/views/conversation.ts'
import type { DailyStatsDocument } from '../../contracts/views/daily-stats.ts'
import { bounded, type Known, known } from './console-query.ts'

/** The start times of the counts, and the days whose statistics are read. */
export type NowAsked = {
  /** Events since this time count. */
  readonly minuteAgo: Date
  /** Conversations and chats with an event since this time count, and clients whose wait began since then. */
  readonly lately: Date
  /** Ids of daily_stats. */
  readonly days: ReadonlyArray<string>
}

type Waiting = Pick<ConversationDocument, 'chatId' | 'awaitingReplySince'>
type State = Exclude<ConversationDocument['state'], 'closed'>

export type NowCounts = {
  readonly waiting: number
  readonly longest: ReadonlyArray<Waiting>
  readonly states: ReadonlyMap<State, number>
  readonly agentChats: number
  readonly events: number
  readonly days: ReadonlyMap<string, DailyStatsDocument>
}

const mostLongest = 20
export const talking = ['bot', 'invited', 'agent', 'unavailable'] as const satisfies ReadonlyArray<State>

const readNow = async (db: Db, accountId: string, asked: NowAsked): Promise<NowCounts> => {
  const { minuteAgo, lately, days } = asked
  const conversations = db.collection('conversations')
  // Also clients for whom an agent was invited or no agent was available: nobody has answered them.
  const waits = { accountId, awaitingReplySince: { $gte: lately } }
  const states = [
    { $match: { accountId, state: { $in: [...talking] }, lastEventAt: { $gte: lately } } },
    { $group: { _id: '$state', count: { $sum: 1 } } },
  ]
  const longestFirst = { ...bounded, sort: { awaitingReplySince: 1 }, limit: mostLongest } as const
  const [waiting, longest, counts, agentChats, events, stats] = await Promise.all([
    conversations.countDocuments(waits, bounded),
    conversations.find(waits, longestFirst).project<Waiting>({ chatId: 1, awaitingReplySince: 1 }).toArray(),
    conversations.aggregate<{ readonly _id: State; readonly count: number }>(states, bounded).toArray(),
    db.collection('chats').countDocuments({ accountId, state: 'open', lastEventAt: { $gte: lately } }, bounded),
    db.collection('timeline').countDocuments({ accountId, time: { $gte: minuteAgo } }, bounded),
    db
      .collection<{ _id: string }>('daily_stats')
      .find<DailyStatsDocument>({ _id: { $in: [...days] } }, bounded)
      .toArray(),
  ])
  return {
    waiting,
    longest,
    agentChats,
    events,
    states: new Map(counts.map(({ _id, count }) => [_id, count])),
    days: new Map(stats.map((day) => [day._id, day])),
  }
}

/** What happens in an account now. */
export const nowIn =
  (db: Db) =>
  (accountId: string, asked: NowAsked): Known<NowCounts> =>
    known(readNow(db, accountId, asked))
