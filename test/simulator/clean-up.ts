/** What was started in a test and has to be stopped after it, however it ends. */
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
