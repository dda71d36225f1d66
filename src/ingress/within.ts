/** The work's result, or what `late` says when it has not settled after so many milliseconds; the work goes on unheard. */
export const within = async <A, B>(ms: number, work: Promise<A>, late: () => B): Promise<A | B> => {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<B>((resolve) => {
    timer = setTimeout(() => resolve(late()), ms)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
