import { setTimeout as wait } from 'node:timers/promises'

/**
 * Polls until the value is neither undefined nor false, and resolves with it. The timeout is far beyond any healthy
 * delay, and beyond the 30 s after which a consumer restarts that kafkajs has left without records; its error names
 * `what`.
 */
export const eventually = async <A>(
  what: string,
  ask: () => Promise<A | undefined | false> | A | undefined | false,
  withinMs = 60_000,
): Promise<A> => {
  const deadline = performance.now() + withinMs
  for (;;) {
    const value = await ask()
    if (value !== undefined && value !== false) return value
    if (performance.now() > deadline) throw new Error(`timed out while waiting for ${what}`)
    await wait(20)
  }
}
