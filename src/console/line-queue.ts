import type { Stop } from '../bridge/operations/operation.ts'

/** How an operation ended: its exit code and what it has done, or why it did nothing. */
export type OperationEnd<Result> =
  | { readonly code: number; readonly result?: Result | undefined }
  | { readonly stop: Stop }

/**
 * A line of the NDJSON of an operation that runs: what it says, with the number of such lines so far, because a slow
 * reader misses some. The last line is the end.
 */
export type OperationLine<Event, Result> =
  | { readonly event: Event; readonly done: number }
  | { readonly end: OperationEnd<Result> }

/** A caller that does not read misses further lines, and sees the gap in `done`. */
const maxWaiting = 1_000

/** What an operation says, as NDJSON. It never waits for the reader of the lines. The last line is `end`. */
export const lineQueue = <Event, Result>() => {
  const waiting: Array<OperationLine<Event, Result>> = []
  let [done, isOver] = [0, false]
  let news = Promise.withResolvers<void>()
  const put = (line: OperationLine<Event, Result>) => {
    waiting.push(line)
    news.resolve()
  }
  return {
    out: (event: Event) => {
      done++
      if (waiting.length < maxWaiting) put({ event, done })
    },
    end: (end: OperationEnd<Result>) => {
      isOver = true
      put({ end })
    },
    lines: async function* () {
      for (;;) {
        for (const line of waiting.splice(0)) yield `${JSON.stringify(line)}\n`
        if (isOver && waiting.length === 0) return
        await news.promise
        news = Promise.withResolvers()
      }
    },
  }
}
