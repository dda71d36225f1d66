type Ask<A> = (keys: ReadonlySet<string>) => Promise<ReadonlyMap<string, A>>

/**
 * Questions about keys that come while one is under way go together in the next one: a look-up for each request costs the
 * database and its driver more than all else that the request needs. What fails, fails for those who shared it. `rest` is
 * the least time from the beginning of one to that of the next: the busier it is, the more go together; one alone goes at once.
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
