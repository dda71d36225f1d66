import { randomUUID } from 'node:crypto'
import type { Db } from 'mongodb'
import type { SessionDocument } from '../../../contracts/views/session.ts'
import type { TimelineDocument } from '../../../contracts/views/timeline.ts'
import { differenceKinds, TranscriptAudit } from '../../../contracts/views/transcript-audit.ts'
import type { Log } from '../shared/log.ts'
import { repeat, startedOnce } from '../shared/repeat.ts'
import { chunks } from '../shared/slices.ts'
import type { Sleep } from '../shared/time.ts'
import type { ViewDocument } from '../views/document.ts'
import { auditDue } from '../views/session-chain.ts'
import { audited, auditedAgain, type Entry, transcriptAudit } from '../views/transcript-audit.ts'
import { classify } from './classify.ts'
import { rejectAfter, stepMs } from './client.ts'
import { withNumberTypes } from './number-types.ts'
import type { Written } from './optimistic-update.ts'

const chatsAtOnce = 500
const sessions = (db: Db) => db.collection<SessionDocument>(audited.view)
/** Sets a new mark each time, so that an audit that is already running does not store its result. */
const dueAgain = () => ({ $set: { audit: { ...auditDue, mark: randomUUID() } } })

/**
 * Marks the finished sessions of a chat for a new audit after timeline got an entry of its bot conversation, or lost
 * one by an erasure. If a process dies between the write and the mark, the slice is redelivered and the sessions are
 * marked then. A finish needs no mark, because its fold sets one.
 */
export const markAudited =
  (db: Db): Written<ViewDocument> =>
  async (writes) => {
    const entries = writes.flatMap(({ collection, after }) => {
      const chat = auditedAgain(collection, after)
      return chat === undefined ? [] : [chat]
    })
    for (const [accountId, own] of Map.groupBy(entries, (entry) => entry.accountId))
      for (const some of chunks([...new Set(own.map(({ chatId }) => chatId))], chatsAtOnce))
        await rejectAfter(
          stepMs,
          sessions(db).updateMany({ ...audited.having, accountId, chatId: { $in: [...some] } }, dueAgain()),
        )
  }

/** Marks every finished session for a new audit, because timeline was replaced. */
export const markAllAudited = async (db: Db): Promise<void> => {
  await sessions(db).updateMany(audited.having, dueAgain())
}

const dueAtOnce = 500
const entriesOf = (db: Db, { accountId, chatId }: SessionDocument): Promise<ReadonlyArray<Entry>> =>
  rejectAfter(
    stepMs,
    db
      .collection<TimelineDocument>(audited.from.view)
      .find({ accountId, chatId, type: audited.from.types }, { maxTimeMS: stepMs })
      .project<Entry>(audited.from.fields)
      .toArray(),
  )

/** Audits one session. If it was written or marked since it was read, nothing is stored and it stays due. */
const auditOne = async (db: Db, session: SessionDocument): Promise<void> => {
  const { _id, applied, audit } = session
  const made = withNumberTypes(TranscriptAudit, transcriptAudit(session, await entriesOf(db, session)))
  await rejectAfter(stepMs, sessions(db).updateOne({ _id, applied, audit } as object, { $set: { audit: made } }))
}

/** Resolves with true once the views have all that is on bot-conversations now, or with false if they lag. */
type HasCaughtUp = (signal: AbortSignal) => Promise<boolean>

export type TranscriptAudits = {
  readonly start: (hasCaughtUp: HasCaughtUp) => void
  readonly stop: () => Promise<void>
}

const pauseMs = 1_000
/** After so many failures in a row MongoDB is probably away. */
const failuresInRow = 3

/**
 * Audits the sessions that are due. The transcript is on one topic and the messages that the bridge saw are on another.
 * No fold of a session can compare them, because records of two topics have no common order. Instead, an audit is a
 * function of timeline, which is a fold of both topics. It is made when timeline has every record that was on
 * bot-conversations when the session was read. Then timeline has all that the service sent before it finished the chat,
 * except events that wait in a journal. A later event marks the session for a new audit. So once all records are read,
 * the audit is the same for any order and any repetition of events, also after a rebuild. Any number of processes may
 * audit at the same time. At most half of the time goes into audits.
 */
export const transcriptAudits = (db: Db, log: Log, sleep: Sleep): TranscriptAudits => {
  /** Sessions that could not be audited. They are tried again when no other is due. */
  const failed = new Set<string>()

  const note = (error: unknown): void =>
    log.warn({ reason: classify(error).reason }, 'transcripts could not be audited; will be retried')

  const pass = async (hasCaughtUp: HasCaughtUp, signal: AbortSignal): Promise<number> => {
    const found = sessions(db).find({ ...audited.due, _id: { $nin: [...failed] } } as object, {
      limit: dueAtOnce,
      maxTimeMS: stepMs,
    })
    const due = await rejectAfter(stepMs, found.toArray())
    if (due.length === 0) failed.clear()
    if (due.length === 0 || !(await hasCaughtUp(signal))) return pauseMs
    const began = performance.now()
    let failures = 0
    for (const session of due) {
      if (signal.aborted || failures >= failuresInRow) break
      try {
        await auditOne(db, session)
        failures = 0
      } catch (error) {
        note(error)
        failed.add(session._id)
        failures += 1
      }
    }
    return Math.max(pauseMs / 2, performance.now() - began)
  }

  const passOrPause = (hasCaughtUp: HasCaughtUp, signal: AbortSignal): Promise<number> =>
    pass(hasCaughtUp, signal).catch((error: unknown) => {
      note(error)
      return pauseMs
    })

  return startedOnce((hasCaughtUp: HasCaughtUp) => repeat((signal) => passOrPause(hasCaughtUp, signal), sleep))
}

type Kind = keyof typeof differenceKinds
export type Differences = { readonly account: string; readonly kind: Kind; readonly count: number }

/** Counts differences in sessions that ended since then, by account and kind. Throws if MongoDB answers too late. */
export const countTranscriptDifferences =
  (db: Db) =>
  async (accountIds: ReadonlyArray<string>, since: Date, withinMs: number): Promise<ReadonlyArray<Differences>> => {
    const stages = [
      { $match: { accountId: { $in: [...accountIds] }, endsAt: { $gte: since }, 'audit.state': 'compared' } },
      { $unwind: '$audit.differences' },
      { $group: { _id: { account: '$accountId', kind: '$audit.differences.kind' }, count: { $sum: 1 } } },
    ]
    type Count = { readonly _id: { readonly account: string; readonly kind: Kind }; readonly count: number }
    const counts = await rejectAfter(withinMs, sessions(db).aggregate<Count>(stages, { maxTimeMS: withinMs }).toArray())
    const kinds = Object.keys(differenceKinds) as ReadonlyArray<Kind>
    const known = new Map(counts.map(({ _id, count }) => [`${_id.account}/${_id.kind}`, count]))
    return accountIds.flatMap((account) =>
      kinds.map((kind) => ({
        account,
        kind,
        count: known.get(`${account}/${kind}`) ?? 0,
      })),
    )
  }
