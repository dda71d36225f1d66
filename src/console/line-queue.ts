type Line<End> = { readonly line: string; readonly done: number } | { readonly end: End }

/** A caller that does not read misses further lines, and sees the gap in `done`. */
const maxWaiting = 1_000

/** The output of some work as NDJSON. The work never waits for the reader of the lines. The last line is `end`. */
export const lineQueue = <End>() => {
  const waiting: Line<End>[] = []
  let [done, isOver] = [0, false]
  let news = Promise.withResolvers<void>()
  const put = (line: Line<End>) => {
    waiting.push(line)
    news.resolve()
  }
  return {
    out: (line: string) => {
      done++
      if (waiting.length < maxWaiting) put({ line, done })
    },
    end: (end: End) => {
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
