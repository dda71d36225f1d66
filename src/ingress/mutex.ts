const [free, held, awaited] = [0, 1, 2]

/**
 * Runs something while no other thread runs what is under the same word of shared memory: for a few instructions only, since
 * others sleep until it has ended.
 */
export const exclusively =
  (memory: Int32Array<SharedArrayBuffer>, word: number) =>
  <A>(run: () => A): A => {
    const take = (as: number) => Atomics.compareExchange(memory, word, free, as)
    for (let was = take(held); was !== free; was = take(awaited))
      if (was === awaited || Atomics.compareExchange(memory, word, held, awaited) !== free)
        Atomics.wait(memory, word, awaited)
    try {
      return run()
    } finally {
      if (Atomics.exchange(memory, word, free) === awaited) Atomics.notify(memory, word, 1)
    }
  }
