import { randomUUID } from 'node:crypto'
import type { Db } from 'mongodb'
import type { DailyStatsDocument } from '../../../contracts/views/daily-stats.ts'
import type { SessionDocument } from '../../../contracts/views/session.ts'
import { statisticsNames, statsQueries } from '../views/daily-stats.ts'
import type { ViewDocument } from '../views/document.ts'
import { dayId, daysOf, type TimeZoneOf } from '../views/stats-days.ts'
import { rejectAfter, stepMs } from './client.ts'
import type { Written } from './optimistic-update.ts'

/** A day to compute. Each change of its documents sets a new `mark`. It is missing if only time has passed. */
export type Due = { readonly _id: string; readonly mark?: string }

type DueDocument = {
  readonly _id: string
  readonly mark: string
  /** Since when the statistics of the day lack a change. */
  readonly since?: Date
}
export const dueDays = (db: Db) => db.collection<DueDocument>('stats_due')

/** Marks days as changed, durably. */
export const markDays = async (db: Db, ids: ReadonlyArray<string>): Promise<void> => {
  if (ids.length === 0) return
  const marks = ids.map((_id) => ({
    updateOne: {
      filter: { _id },
      update: { $set: { mark: randomUUID() }, $setOnInsert: { since: new Date() } },
      upsert: true,
    },
  }))
  await rejectAfter(stepMs, dueDays(db).bulkWrite(marks, { ordered: false }))
}

/** The earlier sessions of the same chains. */
const earlierSessions = async (db: Db, sessions: ReadonlyArray<ViewDocument>): Promise<ReadonlyArray<ViewDocument>> => {
  const ids = sessions.flatMap((session) => {
    const { number = 1 }: ViewDocument & { readonly number?: number } = session
    const before = number - 1
    const chain = session._id.slice(0, session._id.lastIndexOf('/'))
    return Array.from({ length: before }, (_, i) => `${chain}/${i + 1}`)
  })
  if (ids.length === 0) return []
  return rejectAfter(
    stepMs,
    db
      .collection<SessionDocument>(statsQueries.sessions.view)
      .find({ _id: { $in: ids } })
      .toArray(),
  )
}

/**
 * Marks the days of documents after they are written, also of those that were up to date. If a process dies between the
 * write and the mark, the slice is redelivered and the days are marked then. The redelivered slice finds only the
 * newest session of a chain, but it may have made earlier sessions too. So their days are marked as well.
 */
export const markWritten =
  (db: Db, timeZoneOf: TimeZoneOf): Written<ViewDocument> =>
  async (writes) => {
    const days = writes.flatMap(({ collection, before, after }) =>
      [before, after].flatMap((document) => (document === undefined ? [] : daysOf(collection, document, timeZoneOf))),
    )
    const repeated = writes.flatMap(({ after, isRepeated }) => (isRepeated ? [after] : []))
    const earlier = await earlierSessions(db, repeated)
    const theirs = earlier.flatMap((session) => daysOf(statsQueries.sessions.view, session, timeZoneOf))
    await markDays(db, [...new Set([...days, ...theirs].map(dayId))])
  }

/** The days to compute: those whose documents have changed, and those whose sessions have ended since (`nextAt`). */
export const readDue = async (db: Db): Promise<ReadonlyArray<Due>> => {
  const [changed, passed] = await rejectAfter(
    stepMs,
    Promise.all([
      dueDays(db).find().toArray(),
      db
        .collection<DailyStatsDocument>(statisticsNames.days)
        .find({ nextAt: { $exists: true }, $expr: { $lte: ['$nextAt', '$$NOW'] } })
        .project<Due>({ _id: 1 })
        .toArray(),
    ]),
  )
  const marked = new Set(changed.map(({ _id }) => _id))
  return [...changed, ...passed.filter(({ _id }) => !marked.has(_id))]
}

/** For how long, in seconds, statistics have lacked a change, or a session's end. 0 if they are up to date. */
export const ageOfStats =
  (db: Db) =>
  async (now: Date, withinMs: number): Promise<number> => {
    const options = { maxTimeMS: withinMs, limit: 1 } as const
    const [changed, passed] = await rejectAfter(
      withinMs,
      Promise.all([
        dueDays(db)
          .find({ since: { $exists: true } }, options)
          .sort({ since: 1 })
          .toArray(),
        db
          .collection<DailyStatsDocument>(statisticsNames.days)
          .find({ nextAt: { $lte: now } }, options)
          .sort({ nextAt: 1 })
          .toArray(),
      ]),
    )
    const times = [changed[0]?.since, passed[0]?.nextAt].flatMap((time) => (time === undefined ? [] : [time.getTime()]))
    return Math.max(0, now.getTime() - Math.min(now.getTime(), ...times)) / 1000
  }
