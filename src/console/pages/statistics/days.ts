import * as E from 'fp-ts/lib/Either.js'
import type { Day } from '../../../../contracts/primitives.ts'
import { invalid, type Refusal } from '../../../bridge/http/answer.ts'
import { fairSemaphore } from '../../../bridge/shared/semaphore.ts'
import { type ConsoleRequest, unavailable } from '../../page.ts'

const usualDays = 30
const maxDays = 400

type Days = { readonly from: Day; readonly to: Day }

/** The requested days. Default: the last 30. */
export const daysOf = ({ from, to }: Partial<Days>, today: string): E.Either<Refusal, Days> => {
  const last = Temporal.PlainDate.from(to ?? today)
  const first = from === undefined ? last.subtract({ days: usualDays - 1 }) : Temporal.PlainDate.from(from)
  const days = first.until(last, { largestUnit: 'days' }).days + 1
  return days >= 1 && days <= maxDays
    ? E.right({ from: first.toString() as Day, to: last.toString() as Day })
    : E.left(invalid(400, `from, to: expected 1 to ${maxDays} days, the first one first`))
}

/** Handlers that make one response at a time, the accounts in turns: the rows of many responses would fill the memory. */
export const oneAtATime = () => {
  const acquire = fairSemaphore({ inAll: 1, ofOne: 1 })
  return <A>(handler: (request: ConsoleRequest) => Promise<E.Either<Refusal, A>>): typeof handler =>
    async (request) => {
      using _permit = await acquire(request.accountId, request.signal)
      return request.signal.aborted ? E.left(unavailable('the caller has gone')) : await handler(request)
    }
}
