import { createHash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../domain/ports.ts'
import { invalid, type Refusal } from '../../http/answer.ts'
import type { KafkaRoom } from '../../kafka/kafka.ts'
import type { Erasures } from '../../mongo/erasures.ts'
import { actionOn, notRecorded } from '../../operations/audit.ts'
import { erase, finishInterrupted } from '../../operations/erase/erase.ts'
import { isOfNobody, type Kept, type Plan, planOf, type Request, requestText } from '../../operations/erase/plan.ts'
import { viewsReachEnd } from '../../operations/erase/views-now.ts'
import { exportPerson } from '../../operations/export/everything.ts'
import { monotonic, sleep } from '../../shared/time.ts'
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
import type { ConsoleRoute } from '../routes.ts'

export type PersonDeps = {
  readonly kafka: Pick<KafkaRoom, 'append' | 'publish' | 'ranges' | 'committedOffsets'>
  readonly erasures: Erasures
  readonly recordActionOf: RecordActionOf
  /** Retention of the plain-text event topics. */
  readonly retentionDays: Kept['retentionDays']
}

/** Identifies the chats and clients that the user saw before an erasure. Does not depend on counts of documents. */
export const confirmOf = (request: Request, { person: { chats, clients } }: Plan): string =>
  createHash('sha256')
    .update(JSON.stringify([requestText(request), chats, clients]))
    .digest('base64url')

export const personAnswer = (request: Request, plan: Plan): PersonAnswer => ({
  chats: [...plan.person.chats],
  clients: [...plan.person.clients],
  likely: plan.person.likely.map(({ via, leadsTo }) => ({
    name: via,
    reason: `the same ${via}: ${leadsTo.map(({ kind, value }) => `${kind} ${value}`).join(', ')}`,
  })),
  stored: Object.entries(plan.found).map(([what, count]) => ({ what, count })),
  confirm: confirmOf(request, plan),
})

const missing = invalid(400, 'confirm: expected the value from the answer to a search')
const changed = invalid(
  409,
  'confirm: expected the value from a new search, because other chats or clients belong to the person now',
)
const nobody = invalid(404, 'value: expected a person that the views know')
const withinMs = 10_000
const notCurrent = unavailable(
  'Nothing was erased: the views lack events that the topics have, so chats of this person may be missing. Repeat it when the projector has no lag.',
)
const unrecorded = E.mapLeft((failure: Failure) => unavailable(notRecorded(failure)))

/** Finds, exports and erases a person like the command line. Each action is recorded first: it shows personal data. */
export const personHandlers = ({
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
      const { kind, value, also = [] } = body.right
      return answer({ accountId: of.accountId, start: { kind, value }, also }, body.right, of)
    }
  return {
    'POST /api/accounts/:account/person': about<'POST /api/accounts/:account/person'>(
      async (request, _, { session }) => {
        const recorded = unrecorded(await recordActionOf(session.who)(actionOn('unmask', request, 'find person')))
        return E.isLeft(recorded) ? recorded : ok(personAnswer(request, await planOf(erasures, request)))
      },
    ),
    'POST /api/accounts/:account/person/export': about<'POST /api/accounts/:account/person/export'>(
      async (request, _, { session }) => {
        const recordAction = recordActionOf(session.who)
        const everything = unrecorded(await exportPerson({ erasures, recordAction }, request))
        const headers = { 'Content-Disposition': 'attachment; filename="person.json"' }
        return E.map((body: object) => ({ status: 200, body, headers }))(everything)
      },
    ),
    'POST /api/accounts/:account/person/erase': about<'POST /api/accounts/:account/person/erase'>(
      async (request, { confirm }, { session }) => {
        if (confirm === undefined) return E.left<Refusal>(missing)
        const ports = { kafka, erasures, recordAction: recordActionOf(session.who), clock: () => new Date() }
        const [requestedAt, kept] = [ports.clock(), { retentionDays }]
        if (!(await viewsReachEnd(kafka, { withinMs, clock: monotonic, sleep }))) return E.left(notCurrent)
        // An earlier, interrupted request was confirmed, and what it found stays in its new plan.
        const finished = unrecorded(await finishInterrupted(ports, request, { kept, requestedAt }))
        if (E.isLeft(finished)) return finished
        const last = finished.right.at(-1)
        if (last !== undefined) return ok(last)
        const plan = await planOf(erasures, request)
        if (isOfNobody(plan)) return E.left(nobody)
        if (confirm !== confirmOf(request, plan)) return E.left(changed)
        const asker = { requestedBy: session.who, kept, requestedAt }
        const erased = unrecorded(await erase(ports, request, plan, asker))
        return E.isLeft(erased) ? erased : ok(erased.right)
      },
    ),
  }
}
