import { createHash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { Count, exactShape, Id, Ticket } from '../../../../contracts/primitives.ts'
import type { Failure } from '../../../bridge/domain/log/record.ts'
import { type ErasedKey, nameOfErased } from '../../../bridge/domain/person/erased.ts'
import {
  type Also as AlsoValue,
  alsoText,
  type Certain,
  readAlso,
  readCertain,
} from '../../../bridge/domain/person/ids.ts'
import { likelyOthers, type Part } from '../../../bridge/domain/person/parts.ts'
import { likelyParts } from '../../../bridge/domain/person/person.ts'
import { invalid, type Refusal } from '../../../bridge/http/answer.ts'
import type { Erasures } from '../../../bridge/mongo/erasures.ts'
import { actionOn, notRecorded } from '../../../bridge/operations/audit.ts'
import type { Run, Stop } from '../../../bridge/operations/operation.ts'
import { alsoOf, type Erasing, erase, exceptOf } from '../../../bridge/privacy/erase/erase-operations.ts'
import {
  contradictsItself,
  erasureRequestText,
  type Plan,
  planOf,
  type Request,
} from '../../../bridge/privacy/erase/plan.ts'
import { exportPerson } from '../../../bridge/privacy/export.ts'
import { whoIsNot, whoseIsIt } from '../../../bridge/privacy/person-options.ts'
import { hasPersonalData } from '../../../bridge/views/index.ts'
import type { Backend } from '../../backend.ts'
import { type ConsoleRequest, decodeAs, type Handler, ok, part, type Route, unavailable } from '../../page.ts'
import { runFor } from '../../run.ts'
import { ErasureAnswer, reported } from './erasures.ts'

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
const PersonBody = exactShape(
  { kind: t.keyof({ client: null, visitor: null, chat: null, email: null, phone: null }), value: Id },
  { also: Also, except: Except, confirm: t.string, ticket: Ticket, backupDays: BackupDays },
  'PersonBody',
)
export type PersonBody = t.TypeOf<typeof PersonBody>

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
  t.partial({ through: Count, isLikelyOther: t.literal(true), erasedAt: t.string }),
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
    erased: t.array(t.strict({ at: t.string, receipt: t.string })),
  },
  {},
  'PersonAnswer',
)
export type PersonAnswer = t.TypeOf<typeof PersonAnswer>

/** Identifies the chats and clients that the user saw before an erasure. Does not depend on counts of documents. */
const confirmOf = (request: Request, { person: { chats, clients } }: Plan): string =>
  createHash('sha256')
    .update(JSON.stringify([erasureRequestText(request), chats, clients]))
    .digest('base64url')

const keysOf = (accountId: string, { chats, clients }: Pick<Part, 'chats' | 'clients'>): ReadonlyArray<ErasedKey> => [
  ...chats.map((id) => ({ of: 'chat' as const, key: `${accountId}/${id}` })),
  ...clients.map((id) => ({ of: 'client' as const, key: `${accountId}/${id}` })),
]

/** The receipts of the person who was asked for. */
const erasedBefore = async (
  { erasedAt, find, hmac }: Pick<Erasures, 'erasedAt' | 'find' | 'hmac'>,
  { accountId, start }: Request,
  parts: ReadonlyArray<Part>,
): Promise<PersonAnswer['erased']> => {
  const asked = parts.filter(({ via }) => via.length === 0).flatMap((part) => keysOf(accountId, part))
  const keys = [{ of: start.kind, key: `${accountId}/${start.value}` }, ...asked]
  const times = new Set([...(await erasedAt(keys)).values()].map((at) => at.getTime()))
  if (times.size === 0) return []
  const hash = await hmac()
  const hashes = new Set(keys.map((key) => hash(nameOfErased(key))))
  const receipts = await Promise.all([...times].map((at) => find({ requestedAt: new Date(at) })))
  return receipts
    .flat()
    .filter((receipt) => receipt.accountId === accountId && receipt.keys.some((key) => hashes.has(key)))
    .sort((a, b) => b.requestedAt.getTime() - a.requestedAt.getTime())
    .map(({ _id, requestedAt }) => ({ at: requestedAt.toISOString(), receipt: _id }))
}

/** When each of the parts was erased that ids lead to and that has nothing personal any more, by its place. */
const erasedParts = async (
  { erasedAt, findDocuments }: Pick<Erasures, 'erasedAt' | 'findDocuments'>,
  accountId: string,
  parts: ReadonlyArray<Part>,
): Promise<ReadonlyMap<number, string>> => {
  const joined = [...parts.entries()].filter(([, { via }]) => via.length > 0)
  const times = await erasedAt(joined.flatMap(([, part]) => keysOf(accountId, part)))
  const erased = new Map<number, string>()
  for (const [i, part] of times.size === 0 ? [] : joined) {
    const [newest] = keysOf(accountId, part)
      .flatMap((key) => times.get(nameOfErased(key))?.toISOString() ?? [])
      .sort()
      .reverse()
    if (newest !== undefined && !(await holdsPersonalData(findDocuments(accountId, part)))) erased.set(i, newest)
  }
  return erased
}

const holdsPersonalData = async (documents: ReturnType<Erasures['findDocuments']>): Promise<boolean> => {
  for await (const { view, document } of documents) if (hasPersonalData(view, document)) return true
  return false
}

const personAnswer = async (erasures: Erasures, request: Request, plan: Plan): Promise<PersonAnswer> => {
  const { chats, clients, parts, likely } = plan.person
  const others = await likelyParts(erasures.findLinks(request.accountId), plan.person, request.except)
  const doubted = likelyOthers(parts)
  const erased = await erasedParts(erasures, request.accountId, parts)
  return {
    chats: [...chats],
    clients: [...clients],
    parts: [
      ...parts.map((part, i) => {
        const erasedAt = erased.get(i)
        return {
          ...shown(part),
          ids: [...exceptOf(part)],
          isSure: true,
          ...(doubted.has(i) && { isLikelyOther: true as const }),
          ...(erasedAt !== undefined && { erasedAt }),
        }
      }),
      ...others.map((part, i) => ({ ...shown(part), ids: likely.slice(i, i + 1).map(alsoOf), isSure: false })),
    ],
    stored: Object.entries(plan.found).map(([what, count]) => ({ what, count })),
    confirm: confirmOf(request, plan),
    erased: await erasedBefore(erasures, request, parts),
  }
}

const shown = ({ chats, clients, emails, via, through }: Part) => ({
  chats: [...chats],
  clients: [...clients],
  emails: [...emails],
  via: [...via],
  ...(through !== undefined && { through }),
})

const wrongExcept = (reason: string) => invalid(400, `except: ${reason}`)
const missing = invalid(400, 'confirm: expected the value from the answer to a search')
const changed = invalid(
  409,
  'confirm: expected the value from a new search, because other chats or clients belong to the person now',
)
const nobody = invalid(404, 'value: expected a person that the views know')
const notCurrent = unavailable(
  'Nothing was erased: the views lack events that the topics have, so chats of this person may be missing. Repeat it when the projector has no lag.',
)
const refusalOf = ({ kind, reason }: Stop): Refusal => {
  if (kind === 'unconfirmed') return changed
  if (kind === 'refused') return wrongExcept(reason)
  return kind === 'unavailable' ? notCurrent : unavailable(reason)
}

/** The options by which operations identify the person. */
const optionsOf = ({ accountId, start: { kind, value }, also, except = [] }: Request) => ({
  account: accountId,
  [kind]: value,
  also,
  except,
})

const unrecorded = E.mapLeft((failure: Failure) => unavailable(notRecorded(failure)))

/** Finds, exports and erases a person like the command line. Each action is recorded first: it shows personal data. */
export const person = part({
  routes: {
    'POST /api/accounts/:account/person': { answer: PersonAnswer },
    'POST /api/accounts/:account/person/export': { answer: 'a document' },
    'POST /api/accounts/:account/person/erase': { answer: ErasureAnswer },
  },
  handlers: ({
    accounts,
    kafka,
    erasures,
    recordActionOf,
    retentionDays,
  }: Pick<Backend, 'accounts' | 'erasures' | 'recordActionOf' | 'retentionDays'> & {
    readonly kafka: Pick<Backend['kafka'], 'append' | 'publish' | 'readTopic' | 'ranges' | 'committedOffsets'>
  }) => {
    const about =
      <A extends Route['answer']>(
        answer: (request: Request, asked: PersonBody, of: ConsoleRequest) => ReturnType<Handler<A>>,
      ): Handler<A> =>
      async (of) => {
        const body = decodeAs(PersonBody, of.body)
        if (E.isLeft(body)) return body
        const { kind, value, also = [], except = [] } = body.right
        const request = { accountId: of.accountId, start: { kind, value }, also, except }
        return contradictsItself(request) ? E.left(wrongExcept(whoIsNot)) : answer(request, body.right, of)
      }
    return {
      'POST /api/accounts/:account/person': about<typeof PersonAnswer>(async (request, _, { session }) => {
        const { person, found } = await planOf(erasures, request)
        const ids = Object.keys(found).length === 0 ? { chats: [], clients: [] } : person
        const looked = actionOn('unmask', request, { what: 'find person', found: ids })
        const recorded = unrecorded(await recordActionOf(session.who)(looked))
        if (E.isLeft(recorded)) return recorded
        // Read again: before a look is recorded, erasures are applied that this database may lack.
        const plan = await planOf(erasures, request)
        const whose = whoseIsIt(plan.person)
        if (whose !== undefined) return E.left(wrongExcept(whose))
        return ok(await personAnswer(erasures, request, plan))
      }),
      'POST /api/accounts/:account/person/export': about<'a document'>(async (request, _, of) => {
        const run = runFor(of, recordActionOf)
        const exported = await exportPerson.perform({ accounts, erasures, kafka }, optionsOf(request), run)
        if (E.isLeft(exported)) return E.left(refusalOf(exported.left))
        const headers = { 'Content-Disposition': 'attachment; filename="person.json"' }
        return E.right({ status: 200, body: { ...exported.right.result?.everything }, headers })
      }),
      'POST /api/accounts/:account/person/erase': about<typeof ErasureAnswer>(
        async (request, { confirm, ticket, backupDays }, of) => {
          if (confirm === undefined) return E.left<Refusal>(missing)
          const run: Run<unknown, Erasing> = {
            ...runFor(of, recordActionOf),
            confirm: async (erasing) => 'plan' in erasing && confirm === confirmOf(request, erasing.plan),
          }
          const erased = await erase.perform(
            { accounts, kafka, erasures, retentionDays },
            {
              ...optionsOf(request),
              ...(ticket !== undefined && { ticket }),
              ...(backupDays !== undefined && { backupDays }),
            },
            run,
          )
          if (E.isLeft(erased)) return E.left(refusalOf(erased.left))
          const receipt = erased.right.result?.receipts.at(-1)
          return receipt === undefined ? E.left(nobody) : ok(reported(receipt))
        },
      ),
    }
  },
})
