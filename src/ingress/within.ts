/** The work's result, or what `late` says when it has not settled after so many milliseconds; the work goes on unheard. */
export const within = <A, B>(ms: number, work: Promise<A>, late: () => B): Promise<A | B> =>
  // Not with `Promise.race`, which costs several times as much, and this is done for each request.
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(late()), ms)
    work.then(
      (result) => {
        clearTimeout(timer)
        resolve(result)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
