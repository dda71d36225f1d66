import * as E from 'fp-ts/lib/Either.js'
import type { Refusal } from '../bridge/http/answer.ts'
import { mongoReasonOf } from '../bridge/mongo/classify.ts'
import type { Done, Run, Stop } from '../bridge/operations/operation.ts'
import { progressLines } from '../bridge/operations/progress.ts'
import { monotonic } from '../bridge/shared/time.ts'
import { lineQueue } from './line-queue.ts'
import { type ConsoleRequest, type RecordActionOf, unavailable } from './page.ts'

/** A page as what runs an operation. `onRecorded` is called when the action is recorded. */
export const runFor = (
  { session: { who }, signal }: Pick<ConsoleRequest, 'session' | 'signal'>,
  recordActionOf: RecordActionOf,
  isDry: boolean,
  say: (line: string) => void,
): Run => ({
  isDry,
  say,
  warn: say,
  withinMs: 10_000,
  progress: progressLines(say, monotonic),
  interruption: () => signal,
  who,
  recordAction: recordActionOf(who),
  // The page has asked before it sends the request.
  confirm: async () => true,
})

type Ended<Result> = E.Either<Stop, Done<Result>>

/**
 * Runs an operation with its output as a stream of lines, which begins when the action is recorded. The operation ends
 * when the caller disconnects. `end`: the last line.
 */
export const streamed = async <Result, End>(
  request: Pick<ConsoleRequest, 'session' | 'signal'>,
  recordActionOf: RecordActionOf,
  isDry: boolean,
  perform: (run: Run) => Promise<Ended<Result>>,
  endOf: (ended: Ended<Result>, say: Run['say']) => End,
): Promise<E.Either<Refusal, { status: 200; stream: AsyncIterable<string>; type: 'application/x-ndjson' }>> => {
  const { out, end, lines } = lineQueue<End>()
  const begun = Promise.withResolvers<undefined>()
  const run = runFor(request, recordActionOf, isDry, out)
  const recordAction: Run['recordAction'] = async (action) =>
    E.map(() => begun.resolve(undefined))(await run.recordAction(action))
  if (isDry) begun.resolve(undefined)
  const running = perform({ ...run, recordAction }).catch(
    (error: unknown): Ended<Result> => E.left({ kind: 'unavailable', reason: mongoReasonOf(error) }),
  )
  void running.then((ended) => end(endOf(ended, out)))
  const ended = await Promise.race([begun.promise, running])
  if (ended !== undefined && E.isLeft(ended) && ended.left.kind === 'unrecorded')
    return E.left(unavailable(ended.left.reason))
  return E.right({ status: 200, stream: lines(), type: 'application/x-ndjson' })
}
