import type { Db } from 'mongodb'
import type { Action } from '../../contracts/commands/operator-action.ts'
import type { AuditDocument } from '../../contracts/views/audit.ts'
import type { ErasureDocument } from '../../contracts/views/erasure.ts'
import { bounded, type Known, known, viewIn } from './console-query.ts'

export type AuditAsked = {
  readonly action?: Action
  /** The person, exactly as recorded. */
  readonly who?: string
  readonly from?: Date
  readonly to?: Date
  /** The last action of the previous page. */
  readonly after?: Pick<AuditDocument, '_id' | 'at'>
  readonly limit: number
}

type Audited = Omit<AuditDocument, 'accountId'> & { readonly accountId?: string | null }

/** The actions of the account, and those about all accounts, which have no account id. The newest come first. */
export const auditQuery = (accountId: string, { action, who, from, to, after, limit }: AuditAsked) => {
  const times = { ...(from && { $gte: from }), ...(to && { $lt: to }), ...(after && { $lte: after.at }) }
  const where = {
    accountId: { $in: [accountId, null] },
    ...(action && { action }),
    ...(who !== undefined && { who }),
    ...(Object.keys(times).length > 0 && { at: times }),
    ...(after && { $or: [{ at: { $lt: after.at } }, { _id: { $lt: after._id } }] }),
  }
  return { where, options: { ...bounded, limit, sort: { at: -1, _id: -1 } } } as const
}

export const auditIn =
  (db: Db) =>
  (accountId: string, asked: AuditAsked): Known<ReadonlyArray<AuditDocument>> => {
    const { where, options } = auditQuery(accountId, asked)
    return known(viewIn<Audited>(db, 'audit').find<AuditDocument>(where, options).toArray())
  }

/** The receipts of an account, the newest first. */
export const receiptsIn =
  (db: Db) =>
  (accountId: string, limit: number): Known<ReadonlyArray<ErasureDocument>> =>
    known(
      db
        .collection<{ accountId: string }>('erasures')
        .find<ErasureDocument>({ accountId }, { ...bounded, limit, sort: { requestedAt: -1 } })
        .toArray(),
    )
