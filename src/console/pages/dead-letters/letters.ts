import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { Count, exactShape, Id, Instant } from '../../../../contracts/primitives.ts'
import { problemsIn } from '../../../../contracts/problem.ts'
import { deadLetterHeaders, quarantineHeaders } from '../../../../contracts/records.ts'
import { quarantine } from '../../../../contracts/topics.ts'
import { unknownEvent } from '../../../bridge/domain/decode-request.ts'
import type { Failure, IncomingRecord } from '../../../bridge/domain/log/record.ts'
import { invalid, type Refusal } from '../../../bridge/http/answer.ts'
import { notRecorded } from '../../../bridge/operations/audit.ts'
import { type Chained, chainedOf, chainsOf, isIn, type LetterState } from '../../../bridge/operations/redrive/chains.ts'
import { readDeadLetter } from '../../../bridge/operations/redrive/dead-letters.ts'
import {
  type Extent,
  type Found,
  type FoundDeadLetter,
  findDeadLetters,
  findRequests,
  type QuarantinedLetter,
} from '../../../bridge/operations/redrive/find.ts'
import { filtersOf as ownedFilters } from '../../../bridge/operations/redrive/redrive-operations.ts'
import { isErasedSince } from '../../../bridge/operations/redrive/send.ts'
import { findRecord, unmaskAction } from '../../../bridge/operations/redrive/show.ts'
import { isFault } from '../../../bridge/shared/fault.ts'
import { fairSemaphore } from '../../../bridge/shared/semaphore.ts'
import { hasRoleForAll } from '../../access/grants.ts'
import type { Backend } from '../../backend.ts'
import { type ConsoleRequest, decodeAs, forbidden, type Handler, ok, unavailable } from '../../page.ts'
import { Limit, On, readQuery } from '../../query.ts'
import { RecordAnswer, recordAnswer } from '../../record-answer.ts'
import { chatOf, problemsText } from './problems.ts'

/**
 * Dead letters, or requests in quarantine, of the account. Query: `cause`, `topic`, `since`, `until` (RFC 3339), `chat`,
 * `reason`, `state`, `unowned`; `limit`, at most 1,000. A record that failed again is one letter, at its newest failure:
 * all numbers count records, not failures. `causes` and `topics`: those of all letters of the requested time. `groups`:
 * the letters that match the query, by cause and topic; without regard to `state` if it is `unresolved`; `reasons`:
 * the most frequent first. `letters`: the newest 200, or `limit`, that match the whole query, newest first. `count`: how
 * many match. `cut`: there may be more, because not all records were read. `redriven`: the times at which the newest
 * failure was sent again. `state`: `sent` if the record has not failed since; `failed-again` if it has, and `unresolved`
 * if it was never sent; `erased` if its person was erased since, so that it cannot be sent. The query `state=unresolved`, and each number named so, include those that failed again.
 * `reason`: what the contract expected, without what was sent.
 */
export const LettersAnswer = exactShape(
  {
    count: Count,
    cut: t.boolean,
    /** How many letters that match the other filters are in each state. */
    states: t.strict({ unresolved: Count, sent: Count, 'failed-again': Count }),
    causes: t.array(t.string),
    topics: t.array(t.string),
    groups: t.array(
      t.strict({
        cause: t.string,
        topic: t.string,
        count: Count,
        unresolved: Count,
        reasons: t.array(t.strict({ reason: t.string, count: Count, unresolved: Count })),
        firstAt: t.string,
        lastAt: t.string,
      }),
    ),
    letters: t.array(
      t.intersection([
        t.strict({
          id: t.string,
          topic: t.string,
          cause: t.string,
          at: t.string,
          bytes: Count,
          state: t.keyof({ unresolved: null, sent: null, 'failed-again': null, erased: null }),
          redriven: t.array(t.string),
          /** How often the record has failed, this time included. */
          failures: Count,
          /** Its earlier failures, oldest first. Links may name them. */
          earlier: t.array(t.intersection([t.strict({ id: t.string }), t.partial({ appendedAt: t.string })])),
        }),
        t.partial({
          consumer: t.string,
          interface: t.string,
          chatId: t.string,
          reason: t.string,
          /** When the record was appended to its own topic: `requestedAt` of a reply's outcome. */
          appendedAt: t.string,
        }),
      ]),
    ),
  },
  {},
  'LettersAnswer',
)
export type LettersAnswer = t.TypeOf<typeof LettersAnswer>
/** Requests in quarantine have the same answers as dead letters. */
export type LettersKind = 'dead-letters' | 'quarantine'

/** Body: the letter's id, `partition/offset`. */
const ShowBody = exactShape({ id: Id }, { unowned: t.literal(true) }, 'ShowBody')

/** The record, and the decoder's problems: where, and what was expected. An empty path means the whole value. */
export const LetterAnswer = exactShape(
  { record: RecordAnswer, problems: t.array(t.strict({ path: t.string, expected: t.string })) },
  {},
  'LetterAnswer',
)
export type LetterAnswer = t.TypeOf<typeof LetterAnswer>

/** What letters are read from. */
export type LettersSources = {
  readonly kafka: Pick<Backend['kafka'], 'readTopic'>
  readonly redrives: Pick<Backend['redrives'], 'erasedAt' | 'find'>
}

const DeadLettersQuery = t.partial(
  {
    cause: Id,
    topic: Id,
    since: Instant,
    until: Instant,
    state: t.keyof({ unresolved: null, sent: null, 'failed-again': null }, 'unresolved, sent or failed-again'),
    chat: Id,
    /** The reason, in the words of the answer. */
    reason: t.string,
    /** Those whose account is not in the accounts file. */
    unowned: On,
    limit: Limit(1_000),
  },
  'DeadLettersQuery',
)

/** How many letters a response has, unless the query says otherwise. */
const maxListed = 200
/** How many letters the console asks the state of. */
const maxExamined = 5_000
/** Of each partition only its newest records are read. */
const newestOf = 10_000
const findWithinMs = 10_000
/** How many reasons of a group a response has. */
const maxReasons = 20
/** How many requests read letters at the same time. The accounts have turns. */
const readsAtOnce = { inAll: 2, ofOne: 2 }

/** The filters of a query that are options of `redrive` too. */
type Asked = Partial<Readonly<Record<'cause' | 'topic' | 'since' | 'until', string>>>

/** The letters of an account, or those of no known account. */
type Whose = { readonly account: string } | { readonly unowned: true }

const forAll = forbidden('unowned: expected the role operator for every account, because these letters belong to none')

const whoseOf = (
  { accountId, session }: Pick<ConsoleRequest, 'accountId' | 'session'>,
  unowned: true | undefined,
  accounts: ReadonlyArray<{ readonly id: string }>,
): E.Either<Refusal, Whose> => {
  if (unowned === undefined) return E.right({ account: accountId })
  return hasRoleForAll(session.grants, accounts, 'operator') ? E.right({ unowned: true }) : E.left(forAll)
}

const shared = (whose: Whose, { since, until }: Asked) => ({
  ...whose,
  ...(since !== undefined && { since: Date.parse(since) }),
  ...(until !== undefined && { until: Date.parse(until) }),
})

/** The filters of dead letters, as options of `redrive send`. */
const deadLetterFilters = (whose: Whose, asked: Asked) => ({
  ...shared(whose, asked),
  ...(asked.cause && { cause: asked.cause }),
  ...(asked.topic && { topic: asked.topic }),
})

/** The filters of requests, as options of `redrive quarantine`. */
const requestFilters = (whose: Whose, asked: Asked) =>
  asked.topic === undefined || asked.topic === quarantine.name
    ? E.right({ ...shared(whose, asked), ...(asked.cause && { reason: asked.cause }) })
    : E.left<Refusal>(invalid(400, `topic: expected ${quarantine.name}, or nothing`))

type DeadLetter = LettersAnswer['letters'][number]
type Listed = Omit<DeadLetter, 'redriven' | 'state' | 'failures' | 'earlier'>
/** A letter for the answer, and what its record is recognised by. */
type Shown = { readonly letter: Listed; readonly chained: Omit<Chained, 'sentAt'> }

/** The filters that only apply to examined letters. */
type Chosen = {
  readonly state?: LetterState | undefined
  readonly chat?: string | undefined
  readonly reason?: string | undefined
}

const unresolvedIn = (letters: ReadonlyArray<DeadLetter>) =>
  letters.filter(({ state }) => isIn('unresolved', state)).length

/** How many letters have each reason, the most frequent first. */
const reasonsOf = (letters: ReadonlyArray<DeadLetter>) => {
  const byReason = Map.groupBy(letters, ({ reason }) => reason)
  return [...byReason]
    .flatMap(([reason, those]) =>
      reason === undefined ? [] : [{ reason, count: those.length, unresolved: unresolvedIn(those) }],
    )
    .sort((a, b) => b.count - a.count)
    .slice(0, maxReasons)
}

/** The letters by cause and topic, in the order of the first failure of each. */
const groupsOf = (letters: ReadonlyArray<DeadLetter>): LettersAnswer['groups'] =>
  [...Map.groupBy(letters, ({ cause, topic }) => JSON.stringify([cause, topic])).values()].flatMap((those) => {
    const [first, last] = [those[0], those.at(-1)]
    if (first === undefined || last === undefined) return []
    const { cause, topic } = first
    const counts = { count: those.length, unresolved: unresolvedIn(those), reasons: reasonsOf(those) }
    return [{ cause, topic, ...counts, firstAt: first.at, lastAt: last.at }]
  })

/**
 * Counts each record once, by its newest failure. Without the letters of other causes and topics, nobody would see that
 * a record failed again for another cause. So a filtered list keeps these too, up to 5,000: a few more MB of memory.
 */
const answerOf = <A>(
  found: Found<A>,
  show: (letter: A) => Shown,
  { state, chat, reason }: Chosen = {},
  limit = maxListed,
): E.Either<Refusal, LettersAnswer> => {
  const { groups, letters, others, isCut } = found
  const examined = [...letters, ...others].flatMap(({ sentAt, ...letter }, i) => {
    if (sentAt === undefined) return []
    const { letter: listed, chained } = show(letter as A)
    return [{ ...chained, sentAt, listed, fits: i < letters.length }]
  })
  if (examined.length < letters.length + others.length)
    return E.left(unavailable('MongoDB does not answer, so it is not known which records were sent back'))
  const all = chainsOf(examined.sort((a, b) => Date.parse(a.listed.at) - Date.parse(b.listed.at))).map(
    ({ newest, earlier, state }) => ({
      fits: newest.fits,
      letter: {
        ...newest.listed,
        state,
        redriven: [...newest.sentAt],
        failures: Math.max(newest.redriven, earlier.length) + 1,
        earlier: earlier.map(({ listed: { id, appendedAt } }) => ({
          id,
          ...(appendedAt !== undefined && { appendedAt }),
        })),
      },
    }),
  )
  const ofAnyState = all.flatMap(({ fits, letter }) =>
    fits && (chat === undefined || letter.chatId === chat) && (reason === undefined || letter.reason === reason)
      ? [letter]
      : [],
  )
  const those = (wanted: LetterState) => ofAnyState.filter((letter) => isIn(wanted, letter.state))
  const shown = state === undefined ? ofAnyState : those(state)
  return E.right({
    count: shown.length,
    cut: isCut || groups.reduce((sum, group) => sum + group.count, 0) > examined.length,
    states: {
      unresolved: those('unresolved').length,
      sent: those('sent').length,
      'failed-again': those('failed-again').length,
    },
    causes: [...new Set(all.map(({ letter: { cause } }) => cause))],
    topics: [...new Set(all.map(({ letter: { topic } }) => topic))],
    groups: groupsOf(state === 'unresolved' ? ofAnyState : shown),
    letters: shown.slice(-limit).reverse(),
  })
}

const showDeadLetter = (it: FoundDeadLetter): Shown => {
  const { topic } = it.origin
  const chat = chatOf(topic, it.key)
  const isBug = it.cause === 'unforeseen' && isFault(it.detail)
  const isOfSender = it.cause === 'contract' || it.cause === 'invalid'
  const reason = isBug ? it.detail : isOfSender ? problemsText(problemsIn(it.detail)) : ''
  return {
    letter: {
      id: it.id,
      topic,
      cause: it.cause,
      at: it.failedAt,
      bytes: it.bytes,
      consumer: it.consumer,
      appendedAt: it.appendedAt,
      ...(chat !== undefined && { chatId: chat }),
      ...(reason !== '' && { reason }),
    },
    chained: chainedOf(it),
  }
}

const chatOfLetter = (record: IncomingRecord): string | undefined => {
  const letter = readDeadLetter(record)
  return E.isLeft(letter) ? undefined : chatOf(letter.right.origin.topic, letter.right.key)
}

const newEvent = 'expected an event that this version of the bridge knows'

const showRequest = (it: QuarantinedLetter): Shown => {
  const { id, reason: cause, receivedAt: at, bytes, account } = it
  const reason = it.problems === unknownEvent ? newEvent : problemsText(problemsIn(it.problems))
  return {
    letter: {
      id,
      topic: quarantine.name,
      cause,
      at,
      bytes,
      interface: it.interface,
      ...(reason !== '' && { reason }),
    },
    // A request that is still not understood stays where it is.
    chained: {
      key: account,
      topic: quarantine.name,
      consumer: it.memoryId,
      firstFailedAt: at,
      checksum: 0,
      redriven: 0,
      failure: it.memoryId,
    },
  }
}

/** How many letters of an account wait: never sent again, or failed again. */
export const unresolvedOf = async ({ kafka, redrives }: LettersSources, account: string) => {
  const ports = { readTopic: kafka.readTopic, redrives }
  const extent = { limit: maxExamined, newestOf, signal: AbortSignal.timeout(findWithinMs) }
  const [letters, requests] = await Promise.all([
    findDeadLetters(ports, { account }, extent),
    findRequests(ports, { account }, extent),
  ])
  const countOf = <A>(found: E.Either<unknown, Found<A>>, show: (letter: A) => Shown) => {
    const answer = E.isLeft(found) ? found : answerOf(found.right, show)
    return E.isLeft(answer) ? null : answer.right.states.unresolved
  }
  return { letters: countOf(letters, showDeadLetter), quarantined: countOf(requests, showRequest) }
}

export type LettersNeeds = LettersSources &
  Pick<Backend, 'recordActionOf'> & { readonly accounts: ReadonlyArray<{ readonly id: string }> }

/** Dead letters and requests in quarantine share it. */
const acquire = fairSemaphore(readsAtOnce)

/**
 * Dead letters or requests in quarantine of one account, by the record's key. Of the decoder's problems the list has
 * those that quote nothing that was sent. Before a record is shown, the look is recorded.
 */
export const lettersWith = ({ kafka, redrives, recordActionOf, accounts }: LettersNeeds) => {
  /** Reads with a timeout. Records that are not read by then are missing. */
  const bounded = async <A>(request: ConsoleRequest, read: (signal: AbortSignal) => Promise<A>): Promise<A> => {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(findWithinMs)])
    using _permit = await acquire(request.accountId, signal)
    return await read(signal)
  }
  const ports = { readTopic: kafka.readTopic, redrives }
  const listing =
    <F extends Whose, A>(
      filtersOf: (whose: Whose, asked: Asked) => E.Either<Refusal, F>,
      find: (from: typeof ports, filters: Omit<F, 'unowned'>, extent: Extent) => Promise<E.Either<Failure, Found<A>>>,
      show: (letter: A) => Shown,
    ): Handler<typeof LettersAnswer> =>
    async (request) => {
      const query = readQuery(DeadLettersQuery, request.query)
      if (E.isLeft(query)) return query
      const { state, chat, reason, unowned, limit, ...asked } = query.right
      const whose = whoseOf(request, unowned, accounts)
      const filters = E.isLeft(whose) ? whose : filtersOf(whose.right, asked)
      if (E.isLeft(filters)) return filters
      const found = await bounded(request, (signal) =>
        find(ports, ownedFilters({ accounts }, filters.right), { limit: maxExamined, newestOf, signal }),
      )
      if (E.isLeft(found)) return E.left(unavailable(`Kafka: ${found.left.reason}`))
      const answer = answerOf(found.right, show, { state, chat, reason }, limit)
      return E.isLeft(answer) ? answer : ok(answer.right)
    }
  const showing =
    (isQuarantine: boolean): Handler<typeof LetterAnswer> =>
    async (request) => {
      const body = decodeAs(ShowBody, request.body)
      if (E.isLeft(body)) return body
      const { accountId, session } = request
      const whose = whoseOf(request, body.right.unowned, accounts)
      if (E.isLeft(whose)) return whose
      const isOf = (account: string) =>
        'account' in whose.right ? account === whose.right.account : !accounts.some(({ id }) => id === account)
      const which = { id: body.right.id, quarantine: isQuarantine }
      const shown = await bounded(request, (signal) => findRecord(kafka.readTopic, which, isOf, signal))
      if (E.isLeft(shown)) {
        const { kind, reason } = shown.left
        return E.left(kind === 'absent' ? invalid(404, `id: ${reason}`) : unavailable(reason))
      }
      const chat = isQuarantine ? undefined : chatOfLetter(shown.right)
      const recorded = await recordActionOf(session.who)(unmaskAction(shown.right, which, [{ id: accountId }], chat))
      if (E.isLeft(recorded)) return E.left(unavailable(notRecorded(recorded.left)))
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
    deadLetters: {
      list: listing((whose, asked) => E.right(deadLetterFilters(whose, asked)), findDeadLetters, showDeadLetter),
      show: showing(false),
    },
    quarantine: {
      list: listing(requestFilters, findRequests, showRequest),
      show: showing(true),
    },
  }
}
