import * as E from 'fp-ts/lib/Either.js'
import type { Account } from '../../bridge/domain/accounts.ts'
import { invalid, type Refusal } from '../../bridge/http/answer.ts'
import type { KafkaPorts } from '../../bridge/kafka/kafka.ts'
import type { Redrives } from '../../bridge/mongo/redrives.ts'
import type { Done, Run, Stop } from '../../bridge/operations/operation.ts'
import type { Ended } from '../../bridge/operations/redrive/batches.ts'
import { redriveQuarantine, redriveSend } from '../../bridge/operations/redrive/redrive-operations.ts'
import { RedriveBody, type RedriveLine } from '../answers.ts'
import { type ConsoleHandler, decodeAs, type Handlers, type RecordActionOf } from '../handler.ts'
import { streamed } from '../run.ts'
import { deadLetterFilters, requestFilters, type Whose, whoseOf } from './dead-letters.ts'

export type RedriveDeps = {
  readonly kafka: Pick<KafkaPorts, 'readTopic' | 'redrive' | 'publish'>
  readonly redrives: Redrives
  readonly accounts: ReadonlyArray<Account>
  readonly recordActionOf: RecordActionOf
}

/** The maximum number of records per second, as on the command line. */
const perSecond = 100
const largestLimit = 10_000

const wrongLimit = invalid(400, `limit: expected a whole number from 1 to ${largestLimit}`)
const underWay = invalid(409, 'another redrive is running: expected this one after its end')

type End = Extract<RedriveLine, { end: unknown }>['end']
type Redriven = E.Either<Stop, Done<Pick<Ended, 'tally' | 'words'>>>

const endOf = (ended: Redriven): End => {
  const nothing = { sent: 0, before: 0, kept: 0, failed: 0 }
  if (E.isLeft(ended)) return { ...nothing, words: `The redrive ended early: ${ended.left.reason}` }
  const { result, trouble = '' } = ended.right
  if (result === undefined) return { ...nothing, words: trouble }
  const { done, planned, ...others } = result.tally
  return { sent: done + planned, ...others, words: [...result.words, trouble].filter(Boolean).join('. ') }
}

/** Sends letters of the account again, one redrive at a time in this process. It ends when the caller disconnects. */
export const redriveHandlers = (
  deps: RedriveDeps,
): Handlers<'POST /api/accounts/:account/dead-letters/redrive' | 'POST /api/accounts/:account/quarantine/redrive'> => {
  const { accounts, recordActionOf } = deps
  let isBusy = false
  const redriving =
    <F>(
      filtersOf: (whose: Whose, asked: RedriveBody) => E.Either<Refusal, F>,
      perform: (options: F & { readonly limit: number }, asked: RedriveBody, run: Run) => Promise<Redriven>,
    ): ConsoleHandler<'POST /api/accounts/:account/dead-letters/redrive'> =>
    async (request) => {
      const asked = decodeAs(RedriveBody, request.body)
      if (E.isLeft(asked)) return asked
      const whose = whoseOf(request, asked.right.unowned, accounts)
      const filters = E.isLeft(whose) ? whose : filtersOf(whose.right, asked.right)
      if (E.isLeft(filters)) return filters
      const { limit, dryRun } = asked.right
      if (limit < 1 || limit > largestLimit) return E.left(wrongLimit)
      if (isBusy) return E.left(underWay)
      isBusy = true
      const work = (run: Run) =>
        perform({ ...filters.right, limit }, asked.right, run).finally(() => {
          isBusy = false
        })
      return streamed(request, recordActionOf, dryRun, work, endOf)
    }
  return {
    'POST /api/accounts/:account/dead-letters/redrive': redriving(
      deadLetterFilters,
      (options, { again, overwrite, force }, run) =>
        redriveSend.perform(
          deps,
          {
            ...options,
            perSecond,
            ...(again && { again }),
            ...(overwrite && { overwrite }),
            ...(force && { force }),
          },
          run,
        ),
    ),
    'POST /api/accounts/:account/quarantine/redrive': redriving(requestFilters, (options, _, run) =>
      redriveQuarantine.perform(deps, { ...options, perSecond }, run),
    ),
  }
}
