/** Runs tasks one after the other in the order of the calls; each result goes to its caller. */
export const serial = () => {
  let last: Promise<unknown> = Promise.resolve()
  return <A>(task: () => Promise<A>): Promise<A> => {
    const result = last.then(task, task)
    last = result
    return result
  }
}
