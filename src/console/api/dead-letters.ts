import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { Id, Instant } from '../../../contracts/primitives.ts'
import type { Problem } from '../../../contracts/problem.ts'
import { deadLetterHeaders, quarantine, quarantineHeaders } from '../../../contracts/topics.ts'
import { unknownEvent } from '../../domain/decode-request.ts'
import type { Failure } from '../../domain/ports.ts'
import { invalid, type Refusal } from '../../http/answer.ts'
import type { KafkaRoom } from '../../kafka/kafka.ts'
import type { Redrives } from '../../mongo/redrives.ts'
import type { Filters } from '../../operations/redrive/dead-letters.ts'
import { type Extent, type Found, findDeadLetters, findRequests } from '../../operations/redrive/find.ts'
import { isErasedSince } from '../../operations/redrive/send.ts'
import { showRecord } from '../../operations/redrive/show.ts'
import type { QuarantineFilters } from '../../operations/redrive/take-in.ts'
import { semaphore } from '../../shared/semaphore.ts'
import { type LetterAnswer, type LettersAnswer, ShowBody } from '../answers.ts'
import {
  type ConsoleHandler,
  type ConsoleRequest,
  decodeAs,
  type Handlers,
  ok,
  type RecordActionOf,
  unavailable,
} from '../handler.ts'
import { readQuery } from '../query.ts'
import { recordAnswer } from '../record-answer.ts'

export type DeadLettersDeps = {
  readonly kafka: Pick<KafkaRoom, 'readTopic'>
  readonly redrives: Pick<Redrives, 'erasedAt' | 'find'>
  readonly recordActionOf: RecordActionOf
}

export const DeadLettersQuery = t.partial({ cause: Id, topic: Id, since: Instant, until: Instant }, 'DeadLettersQuery')

/** Dead letters in a response, newest records read per partition, the timeout, and the number of concurrent reads. */
const listed = 200
const newestOf = 10_000
const withinMs = 10_000
const atOnce = 2

/** The filters of a query or a body. */
type Asked = Partial<Readonly<Record<'id' | 'cause' | 'topic' | 'since' | 'until', string>>>

const shared = (account: string, { id, since, until }: Asked) => ({
  account,
  ...(id !== undefined && { id: [id] }),
  ...(since !== undefined && { since: Date.parse(since) }),
  ...(until !== undefined && { until: Date.parse(until) }),
})

export const deadLetterFilters = (account: string, asked: Asked): E.Either<Refusal, Filters> => {
  const { cause, topic } = asked
  return E.right({ ...shared(account, asked), ...(cause && { cause }), ...(topic && { topic }) })
}

export const requestFilters = (account: string, asked: Asked): E.Either<Refusal, QuarantineFilters> =>
  asked.topic === undefined || asked.topic === quarantine.name
    ? E.right({ ...shared(account, asked), ...(asked.cause && { reason: asked.cause }) })
    : E.left(invalid(400, `topic: expected ${quarantine.name}, or nothing`))

type DeadLetter = LettersAnswer['letters'][number]

const answerOf = <A>(
  found: Found<A>,
  letterOf: (letter: A) => Omit<DeadLetter, 'redriven'>,
): E.Either<Refusal, LettersAnswer> => {
  const { count, groups, letters, isCut } = found
  const told = letters.flatMap((letter) => {
    const { sentAt } = letter
    return sentAt === undefined ? [] : [{ ...letterOf(letter), redriven: [...sentAt] }]
  })
  if (told.length < letters.length)
    return E.left(unavailable('MongoDB does not answer, so it is not known which records were sent back'))
  return E.right({ count, cut: isCut, groups: groups.map((group) => ({ ...group })), letters: told.reverse() })
}

/** Parses the text of `describe`. A problem without a path concerns the whole value. */
export const problemsIn = (text: string): ReadonlyArray<Problem> =>
  text
    .split('; ')
    .filter((part) => part !== '')
    .map((part) => {
      if (part === unknownEvent) return { path: '', expected: 'an event that this version of the bridge knows' }
      const [, path = '', expected = part] = /^(.*?): expected (.*)$/s.exec(part) ?? []
      return { path: path === 'body' || path === 'value' ? '' : path, expected }
    })

const routes = {
  deadLetters: 'GET /api/accounts/:account/dead-letters',
  showDeadLetter: 'POST /api/accounts/:account/dead-letters/show',
  quarantine: 'GET /api/accounts/:account/quarantine',
  showQuarantined: 'POST /api/accounts/:account/quarantine/show',
} as const

/**
 * Dead letters and requests in quarantine of one account, by the record's key. The list omits the decoder's problems,
 * which may quote the name of a field that was sent. Before a record is shown, the look is recorded.
 */
export const deadLettersHandlers = ({
  kafka,
  redrives,
  recordActionOf,
}: DeadLettersDeps): Handlers<(typeof routes)[keyof typeof routes]> => {
  const permits = semaphore(atOnce)
  /** Reads with a timeout. Records that are not read by then are missing. */
  const bounded = async <A>(request: ConsoleRequest, read: (signal: AbortSignal) => Promise<A>): Promise<A> => {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(withinMs)])
    using _permit = await permits(signal)
    return await read(signal)
  }
  const ports = { readTopic: kafka.readTopic, findRedrives: redrives.find }
  const listing =
    <F, A>(
      filtersOf: (account: string, asked: Asked) => E.Either<Refusal, F>,
      find: (from: typeof ports, filters: F, extent: Extent) => Promise<E.Either<Failure, Found<A>>>,
      letterOf: (letter: A) => Omit<DeadLetter, 'redriven'>,
    ): ConsoleHandler<typeof routes.deadLetters> =>
    async (request) => {
      const query = readQuery(DeadLettersQuery, request.query)
      const filters = E.isLeft(query) ? query : filtersOf(request.accountId, query.right)
      if (E.isLeft(filters)) return filters
      const found = await bounded(request, (signal) => find(ports, filters.right, { limit: listed, newestOf, signal }))
      if (E.isLeft(found)) return E.left(unavailable(`Kafka: ${found.left.reason}`))
      const answer = answerOf(found.right, letterOf)
      return E.isLeft(answer) ? answer : ok(answer.right)
    }
  const showing =
    (isQuarantine: boolean): ConsoleHandler<typeof routes.showDeadLetter> =>
    async (request) => {
      const body = decodeAs(ShowBody, request.body)
      if (E.isLeft(body)) return body
      const { accountId: account, session } = request
      const shown = await bounded(request, (signal) =>
        showRecord(
          { readTopic: kafka.readTopic, recordAction: recordActionOf(session.who), accounts: [{ id: account }] },
          { id: body.right.id, quarantine: isQuarantine, account, signal },
        ),
      )
      if (E.isLeft(shown)) {
        const { kind, reason } = shown.left
        return E.left(kind === 'absent' ? invalid(404, `id: ${reason}`) : unavailable(reason))
      }
      // The topic keeps a record for a while after its person was erased. In quarantine the key is only the account.
      const isErased = isQuarantine ? false : await isErasedSince(redrives, shown.right).catch(() => undefined)
      if (isErased === undefined)
        return E.left(unavailable('MongoDB does not answer, so it is not known whether the person was erased'))
      if (isErased) return E.left(invalid(404, 'id: the person of this record was erased'))
      const { headers } = shown.right
      const problems = [
        ...problemsIn(String(headers[isQuarantine ? quarantineHeaders.problems : deadLetterHeaders.detail] ?? '')),
      ]
      const answer: LetterAnswer = { record: recordAnswer(shown.right), problems }
      return ok(answer)
    }
  return {
    [routes.deadLetters]: listing(
      deadLetterFilters,
      findDeadLetters,
      ({ id, origin: { topic }, cause, failedAt: at, bytes, consumer }) => ({ id, topic, cause, at, bytes, consumer }),
    ),
    [routes.quarantine]: listing(requestFilters, findRequests, ({ id, reason, receivedAt, bytes, ...rest }) => ({
      id,
      topic: quarantine.name,
      cause: reason,
      at: receivedAt,
      bytes,
      interface: rest.interface,
    })),
    [routes.showDeadLetter]: showing(false),
    [routes.showQuarantined]: showing(true),
  }
}
