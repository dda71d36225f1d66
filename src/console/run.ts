import * as E from 'fp-ts/lib/Either.js'
import type { Refusal } from '../bridge/http/answer.ts'
import { mongoReasonOf } from '../bridge/mongo/classify.ts'
import type { RecordAction } from '../bridge/operations/audit.ts'
import type { Done, Run, Stop } from '../bridge/operations/operation.ts'
import { isProgress } from '../bridge/operations/progress.ts'
import { monotonic } from '../bridge/shared/time.ts'
import { lineQueue } from './line-queue.ts'
import { type ConsoleRequest, type RecordActionOf, unavailable } from './page.ts'

/** A page as what runs an operation, and hears only its result. */
export const runFor = (
  { session: { who }, signal }: Pick<ConsoleRequest, 'session' | 'signal'>,
  recordActionOf: RecordActionOf,
): Run => ({
  isDry: false,
  say: () => {},
  withinMs: 10_000,
  interruption: () => signal,
  who,
  recordAction: recordActionOf(who),
  recordsLooks: true,
  // The page has asked before it sends the request.
  confirm: async () => true,
})

type Ended<Result> = E.Either<Stop, Done<Result | undefined>>

/** A reader sees the progress of a step so often. */
const progressEveryMs = 500

/**
 * Runs an operation with what it says as a stream of lines, which begins when the action is recorded or it says
 * something. The operation ends when the caller disconnects. The last line is its result.
 */
export const streamed = async <Event, Result>(
  request: Pick<ConsoleRequest, 'session' | 'signal'>,
  recordActionOf: RecordActionOf,
  isDry: boolean,
  perform: (run: Run<Event>) => Promise<Ended<Result>>,
): Promise<E.Either<Refusal, { status: 200; stream: AsyncIterable<string>; type: 'application/x-ndjson' }>> => {
  const { out, end, lines } = lineQueue<Event, Result>()
  const begun = Promise.withResolvers<undefined>()
  let shownAt = Number.NEGATIVE_INFINITY
  const say = (event: Event) => {
    begun.resolve(undefined)
    if (!isProgress(event)) return out(event)
    if (!event.isOver && monotonic() < shownAt + progressEveryMs) return
    shownAt = monotonic()
    out(event)
  }
  const run = runFor(request, recordActionOf)
  const recordAction: RecordAction = async (action) =>
    E.map(() => begun.resolve(undefined))(await run.recordAction(action))
  const running = perform({ ...run, isDry, say, recordAction }).catch(
    (error: unknown): Ended<Result> => E.left({ kind: 'unavailable', reason: mongoReasonOf(error) }),
  )
  void running.then((ended) => {
    if (E.isLeft(ended)) return end({ stop: ended.left })
    const { code, result } = ended.right
    return end({ code, result })
  })
  const ended = await Promise.race([begun.promise, running])
  if (ended !== undefined && E.isLeft(ended) && ended.left.kind === 'unrecorded')
    return E.left(unavailable(ended.left.reason))
  return E.right({ status: 200, stream: lines(), type: 'application/x-ndjson' })
}
