import { classify } from './classify.ts'

/**
 * Waits for all, so that nothing of it is under way any more; then rejects with what failed. An outage among the
 * failures is told first: others may have come from it.
 */
export const allDone = async <A>(promises: ReadonlyArray<Promise<A>>): Promise<ReadonlyArray<A>> => {
  const settled = await Promise.allSettled(promises)
  const errors: ReadonlyArray<unknown> = settled.flatMap((it) => (it.status === 'rejected' ? [it.reason] : []))
  if (errors.length > 0) throw errors.find((error) => classify(error).kind === 'transient') ?? errors[0]
  return settled.flatMap((it) => (it.status === 'fulfilled' ? [it.value] : []))
}
