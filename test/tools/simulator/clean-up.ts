/** Stops everything that a test has started, however the test ends. */
export const createCleanUp = () => {
  const started: Array<{ readonly stop: () => Promise<unknown> }> = []
  return {
    started: <A extends { readonly stop: () => Promise<unknown> }>(one: A): A => {
      started.push(one)
      return one
    },
    stopAll: async () => void (await Promise.all(started.splice(0).map((one) => one.stop()))),
  }
}
