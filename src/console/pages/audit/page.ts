import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Action, actions } from '../../../../contracts/commands/operator-action.ts'
import { BsonDate, exactShape, Id } from '../../../../contracts/primitives.ts'
import { AuditDocument } from '../../../../contracts/views/audit.ts'
import type { Find, Pipeline } from '../../../bridge/mongo/source.ts'
import type { Backend } from '../../backend.ts'
import { actionWords } from '../../browser/words.ts'
import { csvFile, csvOfPages } from '../../csv.ts'
import { documentOf } from '../../documents.ts'
import { documentAnswer } from '../../mask.ts'
import { type ConsoleRequest, ok, page } from '../../page.ts'
import { Cursor, Limit, LocalTime, listed, pageOf, readQuery, readSpan } from '../../query.ts'
import { auditDetailsOf } from './details.ts'

const ActionName = t.keyof(
  Object.fromEntries(actions.map((action) => [action, null])) as Record<Action, null>,
  `one of ${actions.join(', ')}`,
)
const AuditQuery = t.partial(
  {
    action: ActionName,
    who: Id,
    about: Id,
    from: LocalTime,
    to: LocalTime,
    cursor: Cursor(t.strict({ at: BsonDate, _id: t.string }, 'AuditEnd'), 'next'),
    limit: Limit(200),
  },
  'AuditQuery',
)

/**
 * Documents of the view audit about this or all accounts, newest first. Query: `action`; `who`, a part of the name;
 * `about`, an id; `from` and `to`, such as 2026-01-31 or 2026-01-31T17:05, in the account's time zone; `cursor`, `limit`.
 */
export const AuditAnswer = exactShape({ rows: t.array(documentOf(AuditDocument)) }, { next: t.string }, 'AuditAnswer')
export type AuditAnswer = t.TypeOf<typeof AuditAnswer>

type AuditAsked = {
  readonly action?: Action
  /** The whole names of those who did it. */
  readonly who?: ReadonlyArray<string>
  /** An id in the details, such as that of a client or chat. */
  readonly about?: string
  readonly from?: Date
  readonly to?: Date
  /** The last action of the previous page. */
  readonly after?: Pick<AuditDocument, '_id' | 'at'>
  readonly limit: number
}

const special = /[.*+?^${}()|[\]\\/-]/g

/** The id as a whole: 1701 is not found in 17012. */
const idIn = (id: string) => ({ $regex: `(?<![\\w@.-])${id.replaceAll(special, '\\$&')}(?![\\w@.-])` })

/** Actions about all accounts have no account id. */
const ofAccount = (accountId: string) => ({ accountId: { $in: [accountId, null] } })

/** The actions of the account, and those about all accounts. The newest come first. */
export const actionsOf = (
  accountId: string,
  { action, who, about, from, to, after, limit }: AuditAsked,
): Find<AuditDocument> => {
  const times = { ...(from && { $gte: from }), ...(to && { $lt: to }), ...(after && { $lte: after.at }) }
  return {
    view: 'audit',
    row: AuditDocument,
    where: {
      ...ofAccount(accountId),
      ...(action && { action }),
      ...(who !== undefined && { who: { $in: [...who] } }),
      ...(about !== undefined && { detail: idIn(about) }),
      ...(Object.keys(times).length > 0 && { at: times }),
      ...(after && { $or: [{ at: { $lt: after.at } }, { _id: { $lt: after._id } }] }),
    },
    sort: { at: -1, _id: -1 },
    limit,
  }
}

const Name = t.strict({ _id: t.string })

/** The names of all who did something. */
const namesIn = (accountId: string): Pipeline<t.TypeOf<typeof Name>> => ({
  view: 'audit',
  row: Name,
  stages: [{ $match: ofAccount(accountId) }, { $group: { _id: '$who' } }],
})

const hasPart = (part: string) => (name: string) => name.toLowerCase().includes(part.toLowerCase())

const endOf = (last: AuditDocument | undefined) => last && { at: last.at, _id: last._id }

const usualLimit = 50
const row = documentAnswer(AuditDocument)

const columnsIn = (timeZone: string) => [
  `When (${timeZone})`,
  'Who',
  'Action',
  'About',
  'Chat',
  'Time (UTC)',
  'Account',
  'Id',
]

/** The cells in the words of the page. */
const cellsIn = (timeZone: string) => {
  // This locale writes times as spreadsheets read them: 2026-01-31 17:05:00.
  const local = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  return (document: AuditDocument) => {
    const { at, who, action, accountId, _id } = document
    const { words, chat } = auditDetailsOf(document)
    return [local.format(at), who, actionWords(action), words, chat, at.toISOString(), accountId, _id]
  }
}

/** The days of the filters for the name of a file: `-2026-01-02-to-2026-01-05`. */
const daysText = (from?: string, to?: string): string => {
  const [first, last] = [from?.slice(0, 10), to?.slice(0, 10)]
  if (first !== undefined && first === last) return `-${first}`
  return [
    ...(first === undefined ? [] : [last === undefined ? `-from-${first}` : `-${first}`]),
    ...(last === undefined ? [] : [`-to-${last}`]),
  ].join('')
}

/**
 * The audit log, as a list in pages and as a spreadsheet. The names of operators are personal data, but they are its
 * purpose, so they are not masked.
 */
export const audit = page({
  name: 'audit',
  title: 'Audit log',
  key: 'a',
  roles: ['privacy'],
  routes: {
    'GET /api/accounts/:account/audit': { answer: AuditAnswer },
    'GET /api/accounts/:account/audit.csv': { answer: 'text/csv' },
  },
  handlers: ({ timeZoneOf, read }: Pick<Backend, 'timeZoneOf' | 'read'>) => {
    /** The names that have this part. */
    const namesWith = async (accountId: string, part: string) =>
      E.map((names: ReadonlyArray<t.TypeOf<typeof Name>>) => names.map(({ _id }) => _id).filter(hasPart(part)))(
        await read(namesIn(accountId)),
      )
    const asked = async ({ accountId, query }: ConsoleRequest) => {
      const given = readQuery(AuditQuery, query)
      if (E.isLeft(given)) return given
      const { action, who, about, from, to, cursor, limit = usualLimit } = given.right
      const span = readSpan({ from, to }, timeZoneOf(accountId))
      if (E.isLeft(span)) return span
      const names = who === undefined ? E.right(undefined) : await namesWith(accountId, who)
      if (E.isLeft(names)) return names
      const filters = {
        ...span.right,
        ...(action && { action }),
        ...(names.right && { who: names.right }),
        ...(about && { about }),
      }
      const pageAfter = (after: AuditAsked['after'], most: number) =>
        pageOf(
          most,
          (limit) => read(actionsOf(accountId, { ...filters, limit, ...(after && { after }) })),
          (rows) => endOf(rows.at(-1)),
        )
      return E.right({ pageAfter, cursor, limit, days: daysText(from, to) })
    }
    return {
      'GET /api/accounts/:account/audit': async (request) => {
        const list = await asked(request)
        if (E.isLeft(list)) return list
        const { pageAfter, cursor, limit } = list.right
        const found = await pageAfter(cursor, limit)
        if (E.isLeft(found)) return found
        const answer: AuditAnswer = listed(found.right, (each) => row(each, 'clear'))
        return ok(answer)
      },
      'GET /api/accounts/:account/audit.csv': async (request) => {
        const list = await asked(request)
        if (E.isLeft(list)) return list
        const { pageAfter, cursor, days } = list.right
        const timeZone = timeZoneOf(request.accountId)
        const text = await csvOfPages(columnsIn(timeZone), cellsIn(timeZone), pageAfter, cursor, request.signal)
        return E.isLeft(text) ? text : E.right(csvFile(`${request.accountId}-audit${days}.csv`, text.right))
      },
    }
  },
})
