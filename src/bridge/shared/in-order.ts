import { semaphore } from './semaphore.ts'

const never = new AbortController().signal

/**
 * Works on at most `atOnce` items at the same time, and gives the results in the order of the items. A slow item holds
 * up at most three times as many others, so the memory is bounded.
 */
export async function* inOrder<A, B>(
  items: AsyncIterable<A>,
  atOnce: number,
  work: (item: A) => Promise<B>,
): AsyncGenerator<B> {
  const acquire = semaphore(atOnce)
  const results: Promise<B>[] = []
  const start = async (item: A): Promise<B> => {
    using _permit = await acquire(never)
    return await work(item)
  }
  for await (const item of items) {
    const result = start(item)
    // A rejection is thrown when its turn comes, and is not unhandled until then.
    result.catch(() => undefined)
    results.push(result)
    const [first] = results
    if (first === undefined || results.length < 3 * atOnce) continue
    yield await first
    results.shift()
  }
  for (const result of results) yield await result
}
