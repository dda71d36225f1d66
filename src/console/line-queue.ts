type Line<End> = { readonly line: string; readonly done: number } | { readonly end: End }

/** A caller that does not read misses what is beyond, and the counts say so. */
const mostWaiting = 1_000

/** What some work says, as the NDJSON of an answer: its lines are written whether or not they are read, and the last one is `end`. */
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
      if (waiting.length < mostWaiting) put({ line, done })
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
