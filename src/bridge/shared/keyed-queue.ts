/** One queue for each key. The work of one key runs one at a time, in the order of the calls; keys run in parallel. */
export type KeyedQueue = {
  /** Ignores a rejection of the work. */
  readonly add: (key: string, work: () => Promise<void>) => void
  /** As `add`, but the work's result goes to the caller. */
  readonly run: <A>(key: string, work: () => Promise<A>) => Promise<A>
  /** How many keys have work. */
  readonly size: () => number
  /** Resolves when no key has work. */
  readonly idle: () => Promise<void>
}

export const keyedQueue = (): KeyedQueue => {
  const last = new Map<string, Promise<void>>()
  const add: KeyedQueue['add'] = (key, work) => {
    const forget = () => {
      if (last.get(key) === done) last.delete(key)
    }
    const done: Promise<void> = (last.get(key) ?? Promise.resolve()).then(work).then(forget, forget)
    last.set(key, done)
  }
  return {
    add,
    run: (key, work) => new Promise((resolve, reject) => add(key, () => work().then(resolve, reject))),
    size: () => last.size,
    idle: async () => {
      while (last.size > 0) await Promise.all(last.values())
    },
  }
}

/** Runs tasks one after the other in the order of the calls; each result goes to its caller. */
export const serial = () => {
  const { run } = keyedQueue()
  return <A>(task: () => Promise<A>): Promise<A> => run('', task)
}
