import type { Db } from 'mongodb'
import { ErasureDocument } from '../../../contracts/views/erasure.ts'
import type { TimelineDocument } from '../../../contracts/views/timeline.ts'
import { chunks } from '../shared/slices.ts'
import { entriesView } from '../views/index.ts'
import { unlessThere } from './classify.ts'
import { rejectAfter, stepMs } from './client.ts'
import { withNumberTypes } from './number-types.ts'
import { countPersonsIn } from './persons.ts'

export type Entry = Pick<TimelineDocument, '_id' | 'time' | 'chatId' | 'clientId' | 'erased'>

/** Where a record is in Kafka. */
export type RecordPlace = Pick<TimelineDocument, 'topic' | 'partition' | 'offset'>

/** Persons who wait for an operator before `privacy.retainDays` erases them. */
export type Waiting = {
  readonly persons: number
  /** How many the account may erase in a day without an operator. */
  readonly limit: number
  /** They have had no event since this time. */
  readonly before: Date
  readonly since: Date
}

/**
 * What an operator has allowed: to erase everybody without an event since `before`. `doneAt`: all of them are erased.
 */
export type Release = { readonly before: Date; readonly by: string; readonly at: Date; readonly doneAt?: Date }

/** The state of `privacy.retainDays` of one account. */
export type RetainState = { readonly _id: string; readonly waiting?: Waiting; readonly released?: Release }

export type Parts = { readonly chats: ReadonlyArray<string>; readonly clients: ReadonlyArray<string> }

/**
 * Finds persons without recent events, so that each is erased once. Every function throws if MongoDB does not answer.
 */
export type SilentPersons = {
  /** Stores a new receipt. False if a receipt with this id exists. */
  readonly claim: (receipt: ErasureDocument) => Promise<boolean>
  /**
   * The oldest entries of timeline, by time, without the markers of erasures: `limit` entries, and all others of the
   * same time as the last one.
   */
  readonly entries: (
    accountId: string,
    span: { readonly after?: Date; readonly before: Date },
    limit: number,
  ) => Promise<ReadonlyArray<Entry>>
  /** The time of the newest event of these chats and clients. */
  readonly lastEventAt: (accountId: string, of: Parts) => Promise<Date | undefined>
  /** The newest record of these chats and clients in each partition. */
  readonly lastPlaces: (accountId: string, of: Parts) => Promise<ReadonlyArray<RecordPlace>>
  /** The requests of the erasures that somebody has asked for since then, as receipts have them. */
  readonly requestsSince: (accountId: string, requestedBy: string, since: Date) => Promise<ReadonlyArray<string>>
  /** About how many persons an account has, rather too few than too many. */
  readonly countPersons: (accountId: string) => Promise<number>
  readonly retainState: (accountId: string) => Promise<RetainState | undefined>
  readonly retainStates: (withinMs?: number) => Promise<ReadonlyArray<RetainState>>
  /** Undefined: nobody waits any more. */
  readonly keepWaiting: (accountId: string, waiting: Waiting | undefined) => Promise<void>
  readonly keepRelease: (accountId: string, release: Release) => Promise<void>
}

const keysAtOnce = 300

export const markerTypes = ['ClientErased', 'ChatErased']

export const silentPersonsIn = (db: Db): SilentPersons => {
  const receipts = db.collection<ErasureDocument>('erasures')
  const states = db.collection<RetainState>('retain_days')
  const timeline = db.collection<Omit<TimelineDocument, 'accountId'> & { accountId: string }>(entriesView)
  const isNoMarker = { type: { $nin: markerTypes } }
  /** The events of a person, in parts that an index finds. */
  const eventsOf = (accountId: string, { chats, clients }: Parts) =>
    [['chatId', chats] as const, ['clientId', clients] as const].flatMap(([field, ids]) =>
      chunks(ids, keysAtOnce).map((some) => ({ accountId, [field]: { $in: [...some] }, ...isNoMarker })),
    )
  return {
    claim: (receipt) => unlessThere(rejectAfter(stepMs, receipts.insertOne(withNumberTypes(ErasureDocument, receipt)))),
    entries: async (accountId, { after, before }, limit) => {
      const projection = { time: 1, chatId: 1, clientId: 1, erased: 1 }
      const options = { projection, maxTimeMS: stepMs }
      const ofEvents = { accountId, ...isNoMarker }
      const time = { $lt: before, ...(after && { $gt: after }) }
      const found = await timeline
        .find({ ...ofEvents, time }, options)
        .sort({ time: 1 })
        .limit(limit)
        .toArray()
      const last = found.at(-1)?.time
      if (found.length < limit || last === undefined) return found
      const same = await timeline.find({ ...ofEvents, time: last }, options).toArray()
      return [...new Map([...found, ...same].map((entry) => [entry._id, entry])).values()]
    },
    lastEventAt: async (accountId, of) => {
      const newest = eventsOf(accountId, of).map((events) =>
        timeline
          .find(events, { maxTimeMS: stepMs })
          .project<Pick<TimelineDocument, 'time'>>({ time: 1 })
          .sort({ time: -1 })
          .limit(1)
          .toArray(),
      )
      const times = (await Promise.all(newest)).flat().map(({ time }) => time.getTime())
      return times.length === 0 ? undefined : new Date(Math.max(...times))
    },
    lastPlaces: async (accountId, of) => {
      const newest = eventsOf(accountId, of).map((events) =>
        timeline
          .aggregate<{ readonly _id: Omit<RecordPlace, 'offset'>; readonly offset: number }>(
            [
              { $match: events },
              { $group: { _id: { topic: '$topic', partition: '$partition' }, offset: { $max: '$offset' } } },
            ],
            { maxTimeMS: stepMs },
          )
          .toArray(),
      )
      return (await Promise.all(newest)).flat().map(({ _id, offset }) => ({ ..._id, offset }))
    },
    requestsSince: async (accountId, requestedBy, since) => {
      const those = { accountId, requestedBy, requestedAt: { $gt: since } } as object
      const found = await rejectAfter(
        stepMs,
        receipts.find(those, { maxTimeMS: stepMs, projection: { request: 1 } }).toArray(),
      )
      return found.map(({ request }) => request)
    },
    countPersons: (accountId) => countPersonsIn(db, accountId),
    retainState: async (_id) =>
      (await rejectAfter(stepMs, states.findOne({ _id }, { maxTimeMS: stepMs }))) ?? undefined,
    retainStates: (ms = stepMs) => rejectAfter(ms, states.find({}, { maxTimeMS: ms }).toArray()),
    keepWaiting: async (accountId, waiting) => {
      const update = waiting === undefined ? { $unset: { waiting: '' as const } } : { $set: { waiting } }
      await rejectAfter(stepMs, states.updateOne({ _id: accountId }, update, { upsert: true }))
    },
    keepRelease: async (accountId, released) => {
      await rejectAfter(stepMs, states.updateOne({ _id: accountId }, { $set: { released } }, { upsert: true }))
    },
  }
}
