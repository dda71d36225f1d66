type Ask<A> = (keys: ReadonlySet<string>) => Promise<ReadonlyMap<string, A>>

/**
 * Batches look-ups: keys that are requested while a look-up runs go into the next one. A look-up for each request would
 * cost the database and its driver more than the rest of the request. If a look-up fails, it fails for all its callers.
 * `rest` is the minimum time between the starts of two look-ups: the more load, the larger a batch. When no look-up is
 * running, the next one starts at once.
 */
export const batchedLookup = <A>(ask: Ask<A>, rest: () => Promise<void> = async () => {}) => {
  let running: Promise<unknown> = Promise.resolve()
  let next: { readonly keys: Set<string>; readonly answer: Promise<ReadonlyMap<string, A>> } | undefined

  const open = () => {
    const keys = new Set<string>()
    const answer = running.then(() => {
      next = undefined
      const asked = ask(keys)
      running = Promise.all([asked.catch(() => {}), rest()])
      return asked
    })
    return { keys, answer }
  }
  return (keys: Iterable<string>): Promise<ReadonlyMap<string, A>> => {
    next ??= open()
    for (const key of keys) next.keys.add(key)
    return next.answer
  }
}
