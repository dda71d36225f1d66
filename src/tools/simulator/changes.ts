/** Reads a condition again after each change. undefined, null and false mean 'not yet'. */
export type WaitFor = <A>(
  what: string,
  read: () => A | undefined | null | false,
  withinMs?: number,
) => Promise<NonNullable<A>>

/** Reports changes, and waits until a condition is met. A wait rejects after `withinMs`, by default a minute. */
export const createChanges = (): { readonly changed: () => void; readonly waitFor: WaitFor } => {
  const waiting = new Set<() => void>()
  return {
    changed: () => {
      for (const look of [...waiting]) look()
    },
    waitFor: <A>(what: string, read: () => A | undefined | null | false, withinMs = 60_000) =>
      new Promise<NonNullable<A>>((resolve, reject) => {
        const end = () => {
          clearTimeout(deadline)
          waiting.delete(look)
        }
        const look = () => {
          try {
            const value = read()
            if (value === undefined || value === null || value === false) return
            end()
            resolve(value)
          } catch (error) {
            end()
            reject(error)
          }
        }
        const deadline = setTimeout(() => {
          end()
          reject(new Error(`${what}: timed out after ${withinMs} ms`))
        }, withinMs)
        waiting.add(look)
        look()
      }),
  }
}
