import * as t from 'io-ts'
import { Count, exactShape, Id, Ticket } from '../../contracts/primitives.ts'
import { type Also as AlsoValue, alsoText, type Certain, readAlso, readCertain } from '../bridge/domain/person/ids.ts'
import type { Stop } from '../bridge/operations/operation.ts'

/** A time as RFC 3339. */
const Time = t.string

const listOf = <A extends AlsoValue>(name: string, max: number, read: (text: string) => A | undefined, what: string) =>
  new t.Type<ReadonlyArray<A>, ReadonlyArray<string>, unknown>(
    name,
    (u): u is ReadonlyArray<A> => Array.isArray(u),
    (u, context) => {
      const given = Array.isArray(u) && u.length <= max ? u : [undefined]
      const values = given.flatMap((each) => (Id.is(each) ? [read(each)] : [])).filter((each) => each !== undefined)
      return values.length === given.length ? t.success(values) : t.failure(u, context, `at most ${max} of ${what}`)
    },
    (values) => values.map(alsoText),
  )
const Also = listOf('Also', 100, readAlso, 'email, phone, userToken, and ids such as client:1240')
const Except = listOf<Certain>('Except', 1_000, readCertain, 'ids such as client:1300')
const Identity = t.strict({ kind: t.string, value: t.string })

const maxBackupDays = 99_999
const isBackupDays = (u: unknown): u is number =>
  Number.isSafeInteger(u) && Number(u) >= 1 && Number(u) <= maxBackupDays
const BackupDays = new t.Type<number, number, unknown>(
  'BackupDays',
  isBackupDays,
  (u, context) =>
    isBackupDays(u) ? t.success(u) : t.failure(u, context, `a whole number of days from 1 to ${maxBackupDays}`),
  t.identity,
)

/**
 * Body: the person. `also`: others who are the same person, at most 100; `except`: who is not, although ids lead there,
 * at most 1,000. Only for `erase`: `confirm`, that of the last PersonAnswer, `ticket`, for the receipt and the audit log,
 * and `backupDays`: how long backups are kept, for the receipt.
 */
export const PersonBody = exactShape(
  { kind: t.keyof({ client: null, visitor: null, chat: null, email: null, phone: null }), value: Id },
  { also: Also, except: Except, confirm: t.string, ticket: Ticket, backupDays: BackupDays },
  'PersonBody',
)

/**
 * Chats and clients of a person that belong together. `ids`: send them as `except` to leave the part out, if `isSure`;
 * the others may be the same person: send the first as `also` to include the part. `via`: what joins it to the rest.
 * `through`: the place in the list of the part by which it was found. `isLikelyOther`: only a visitor number leads there,
 * and to another address. `erasedAt`: it was erased then, and nothing personal of it came later.
 */
const PersonPart = t.intersection([
  t.strict({
    ids: t.array(t.string),
    chats: t.array(t.string),
    clients: t.array(t.string),
    emails: t.array(t.string),
    via: t.array(Identity),
    isSure: t.boolean,
  }),
  t.partial({ through: Count, isLikelyOther: t.literal(true), erasedAt: Time }),
])

/** The chats and clients of the person, in parts too, with what is stored about the person. */
export const PersonAnswer = exactShape(
  {
    chats: t.array(t.string),
    clients: t.array(t.string),
    parts: t.array(PersonPart),
    stored: t.array(t.strict({ what: t.string, count: Count })),
    confirm: t.string,
    /** Erasures before of the one who was asked for, newest first: when, and the receipt's id. */
    erased: t.array(t.strict({ at: Time, receipt: t.string })),
  },
  {},
  'PersonAnswer',
)

export type PersonBody = t.TypeOf<typeof PersonBody>
export type PersonAnswer = t.TypeOf<typeof PersonAnswer>

/** How an operation ended: its exit code and what it has done, or why it did nothing. */
export type OperationEnd<Result> =
  | { readonly code: number; readonly result?: Result | undefined }
  | { readonly stop: Stop }

/**
 * A line of the NDJSON of an operation that runs: what it says, with the number of such lines so far, because a slow
 * reader misses some. The last line is the end.
 */
export type OperationLine<Event, Result> =
  | { readonly event: Event; readonly done: number }
  | { readonly end: OperationEnd<Result> }
