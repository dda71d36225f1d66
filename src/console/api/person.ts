import { createHash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../bridge/domain/log/record.ts'
import { type ErasedKey, nameOfErased } from '../../bridge/domain/person/erased.ts'
import { likelyOthers, type Part } from '../../bridge/domain/person/parts.ts'
import { likelyParts } from '../../bridge/domain/person/person.ts'
import { invalid, type Refusal } from '../../bridge/http/answer.ts'
import type { KafkaPorts } from '../../bridge/kafka/kafka.ts'
import type { Erasures } from '../../bridge/mongo/erasures.ts'
import { actionOn, notRecorded } from '../../bridge/operations/audit.ts'
import type { Accounts, Run, Stop } from '../../bridge/operations/operation.ts'
import { alsoOf, type Erasing, erase, exceptOf } from '../../bridge/privacy/erase/erase-operations.ts'
import {
  contradictsItself,
  erasureRequestText,
  type Plan,
  planOf,
  type Request,
} from '../../bridge/privacy/erase/plan.ts'
import { exportPerson } from '../../bridge/privacy/export.ts'
import { whoIsNot, whoseIsIt } from '../../bridge/privacy/person-options.ts'
import type { Retention } from '../../bridge/privacy/remains.ts'
import { hasPersonalData } from '../../bridge/views/index.ts'
import { type PersonAnswer, PersonBody } from '../answers.ts'
import {
  type ConsoleHandler,
  type ConsoleRequest,
  decodeAs,
  type Handlers,
  ok,
  type RecordActionOf,
  unavailable,
} from '../handler.ts'
import { reported } from '../pages/privacy/erasures.ts'
import type { ConsoleRoute } from '../routes.ts'
import { runFor } from '../run.ts'

export type PersonDeps = Accounts & {
  readonly kafka: Pick<KafkaPorts, 'append' | 'publish' | 'readTopic' | 'ranges' | 'committedOffsets'>
  readonly erasures: Erasures
  readonly recordActionOf: RecordActionOf
  /** Retention of the plain-text event topics. */
  readonly retentionDays: Retention['retentionDays']
}

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
export const personHandlers = ({
  accounts,
  kafka,
  erasures,
  recordActionOf,
  retentionDays,
}: PersonDeps): Handlers<
  | 'POST /api/accounts/:account/person'
  | 'POST /api/accounts/:account/person/export'
  | 'POST /api/accounts/:account/person/erase'
> => {
  const about =
    <R extends ConsoleRoute>(
      answer: (request: Request, asked: PersonBody, of: ConsoleRequest) => ReturnType<ConsoleHandler<R>>,
    ): ConsoleHandler<R> =>
    async (of) => {
      const body = decodeAs(PersonBody, of.body)
      if (E.isLeft(body)) return body
      const { kind, value, also = [], except = [] } = body.right
      const request = { accountId: of.accountId, start: { kind, value }, also, except }
      return contradictsItself(request) ? E.left(wrongExcept(whoIsNot)) : answer(request, body.right, of)
    }
  return {
    'POST /api/accounts/:account/person': about<'POST /api/accounts/:account/person'>(
      async (request, _, { session }) => {
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
      },
    ),
    'POST /api/accounts/:account/person/export': about<'POST /api/accounts/:account/person/export'>(
      async (request, _, of) => {
        const run = runFor(of, recordActionOf, false, () => {})
        const exported = await exportPerson.perform({ accounts, erasures, kafka }, optionsOf(request), run)
        if (E.isLeft(exported)) return E.left(refusalOf(exported.left))
        const headers = { 'Content-Disposition': 'attachment; filename="person.json"' }
        return E.right({ status: 200, body: { ...exported.right.result?.everything }, headers })
      },
    ),
    'POST /api/accounts/:account/person/erase': about<'POST /api/accounts/:account/person/erase'>(
      async (request, { confirm, ticket, backupDays }, of) => {
        if (confirm === undefined) return E.left<Refusal>(missing)
        const run: Run<unknown, Erasing> = {
          ...runFor(of, recordActionOf, false, () => {}),
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
}
