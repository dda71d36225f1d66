import * as E from 'fp-ts/lib/Either.js'
import type { Account } from '../../domain/accounts.ts'
import { now } from '../../domain/clock.ts'
import { invalid, type Refusal } from '../../http/answer.ts'
import type { KafkaRoom } from '../../kafka/kafka.ts'
import { reasonOf } from '../../mongo/classify.ts'
import type { Redrives } from '../../mongo/redrives.ts'
import { notRecorded, type RecordAction } from '../../operations/audit.ts'
import { type BatchPorts, pace, type Sending } from '../../operations/redrive/batches.ts'
import type { Rules } from '../../operations/redrive/guard.ts'
import { sendDeadLetters } from '../../operations/redrive/send.ts'
import { takeIn } from '../../operations/redrive/take-in.ts'
import { monotonic, sleep } from '../../shared/time.ts'
import { RedriveBody, type RedriveLine } from '../answers.ts'
import { type ConsoleHandler, decodeAs, type Handlers, type RecordActionOf, unavailable } from '../handler.ts'
import { lineQueue } from '../line-queue.ts'
import { deadLetterFilters, requestFilters, type Whose, whoseOf } from './dead-letters.ts'

export type RedriveDeps = {
  readonly kafka: Pick<KafkaRoom, 'readTopic' | 'redrive' | 'publish'>
  readonly redrives: Redrives
  readonly accounts: ReadonlyArray<Account>
  readonly recordActionOf: RecordActionOf
}

type Ended = Awaited<ReturnType<typeof sendDeadLetters>>

/** As on the command line: the maximum number of records per second, and of redrives of one record. */
const perSecond = 100
const most = 3
const largestLimit = 10_000

const wrongLimit = invalid(400, `limit: expected a whole number from 1 to ${largestLimit}`)
const underWay = invalid(409, 'another redrive is running: expected this one after its end')

type End = Extract<RedriveLine, { end: unknown }>['end']

const endOf = (ended: Ended): End => {
  const nothing = { sent: 0, before: 0, kept: 0, failed: 0 }
  if (E.isLeft(ended)) return { ...nothing, words: `The redrive ended early: ${ended.left.reason}` }
  const { tally, words, trouble = '' } = ended.right
  const { done, planned, ...others } = tally
  return { sent: done + planned, ...others, words: [...words, trouble].filter(Boolean).join('. ') }
}

/** Sends letters of the account again, one redrive at a time in this process. It ends when the caller disconnects. */
export const redriveHandlers = ({
  kafka: { readTopic, redrive, publish },
  redrives,
  accounts,
  recordActionOf,
}: RedriveDeps): Handlers<
  'POST /api/accounts/:account/dead-letters/redrive' | 'POST /api/accounts/:account/quarantine/redrive'
> => {
  let isBusy = false
  const redriving =
    <F>(
      filtersOf: (whose: Whose, asked: RedriveBody) => E.Either<Refusal, F>,
      send: (ports: BatchPorts, asked: Sending<F> & { readonly rules: Rules }, signal: AbortSignal) => Promise<Ended>,
    ): ConsoleHandler<'POST /api/accounts/:account/dead-letters/redrive'> =>
    async ({ accountId, body, session, signal }) => {
      const asked = decodeAs(RedriveBody, body)
      if (E.isLeft(asked)) return asked
      const whose = whoseOf({ accountId, session }, asked.right.unowned, accounts)
      const filters = E.isLeft(whose) ? whose : filtersOf(whose.right, asked.right)
      if (E.isLeft(filters)) return filters
      const { limit, dryRun, again = false, overwrite = false, force = false } = asked.right
      if (limit < 1 || limit > largestLimit) return E.left(wrongLimit)
      if (isBusy) return E.left(underWay)
      isBusy = true
      const { out, end, lines } = lineQueue<End>()
      const begun = Promise.withResolvers<void>()
      const recordAction: RecordAction = async (action) =>
        E.map(() => begun.resolve())(await recordActionOf(session.who)(action))
      if (dryRun) begun.resolve()
      const ports = { readTopic, redrives, recordAction, now, out, pace: pace(perSecond, monotonic, sleep) }
      const rules = { most, again, overwrite, force }
      const running = send(ports, { filters: filters.right, limit, dryRun, rules }, signal)
        .catch((error) => E.left({ kind: 'transient' as const, reason: reasonOf(error) }))
        .finally(() => {
          isBusy = false
        })
      running.then((ended) => end(endOf(ended)))
      const ended = await Promise.race([begun.promise, running])
      if (ended !== undefined && E.isLeft(ended)) return E.left(unavailable(notRecorded(ended.left)))
      return E.right({ status: 200, stream: lines(), type: 'application/x-ndjson' })
    }
  return {
    'POST /api/accounts/:account/dead-letters/redrive': redriving(deadLetterFilters, (ports, asked, signal) =>
      sendDeadLetters({ ...ports, redrive, redrives }, asked, signal),
    ),
    'POST /api/accounts/:account/quarantine/redrive': redriving(requestFilters, (ports, asked, signal) =>
      takeIn({ ...ports, publish, redrives, accounts }, asked, signal),
    ),
  }
}
