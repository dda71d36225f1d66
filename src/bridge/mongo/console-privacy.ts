import type { Db } from 'mongodb'
import type { Action } from '../../../contracts/commands/operator-action.ts'
import type { AuditDocument } from '../../../contracts/views/audit.ts'
import type { ErasureDocument } from '../../../contracts/views/erasure.ts'
import { bounded, type Known, known, viewIn } from './source.ts'

export type AuditAsked = {
  readonly action?: Action
  /** A part of the name of who did it. */
  readonly who?: string
  /** An id in the details, such as that of a client or chat. */
  readonly about?: string
  readonly from?: Date
  readonly to?: Date
  /** The last action of the previous page. */
  readonly after?: Pick<AuditDocument, '_id' | 'at'>
  readonly limit: number
}

type Audited = Omit<AuditDocument, 'accountId'> & { readonly accountId?: string | null }

const special = /[.*+?^${}()|[\]\\/-]/g

/** The id as a whole: 1701 is not found in 17012. */
const idIn = (id: string) => ({ $regex: `(?<![\\w@.-])${id.replaceAll(special, '\\$&')}(?![\\w@.-])` })

/** A question with the whole names of those who are meant. */
type Named = Omit<AuditAsked, 'who'> & { readonly who?: ReadonlyArray<string> }

/** Actions about all accounts have no account id. */
const ofAccount = (accountId: string) => ({ accountId: { $in: [accountId, null] } })

/** The actions of the account, and those about all accounts, which have no account id. The newest come first. */
export const auditQuery = (accountId: string, { action, who, about, from, to, after, limit }: Named) => {
  const times = { ...(from && { $gte: from }), ...(to && { $lt: to }), ...(after && { $lte: after.at }) }
  const where = {
    ...ofAccount(accountId),
    ...(action && { action }),
    ...(who !== undefined && { who: { $in: [...who] } }),
    ...(about !== undefined && { detail: idIn(about) }),
    ...(Object.keys(times).length > 0 && { at: times }),
    ...(after && { $or: [{ at: { $lt: after.at } }, { _id: { $lt: after._id } }] }),
  }
  return { where, options: { ...bounded, limit, sort: { at: -1, _id: -1 } } } as const
}

const hasPart = (part: string) => (name: string) => name.toLowerCase().includes(part.toLowerCase())

export const auditIn =
  (db: Db) =>
  (accountId: string, { who, ...asked }: AuditAsked): Known<ReadonlyArray<AuditDocument>> => {
    const view = viewIn<Audited>(db, 'audit')
    const read = async () => {
      const names =
        who === undefined ? undefined : (await view.distinct('who', ofAccount(accountId), bounded)).filter(hasPart(who))
      const { where, options } = auditQuery(accountId, { ...asked, ...(names && { who: names }) })
      return view.find<AuditDocument>(where, options).toArray()
    }
    return known(read())
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
