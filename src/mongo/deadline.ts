/**
 * The promise's outcome, or a rejection after so many milliseconds; what the promise stands for may happen later
 * still.
 */
export const within = async <A>(ms: number, promise: Promise<A>): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`MongoDB has not answered within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([promise, expired])
  } finally {
    clearTimeout(timer)
  }
}
