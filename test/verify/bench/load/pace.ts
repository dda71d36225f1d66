import { setTimeout as wait } from 'node:timers/promises'

/**
 * Calls `due` for each of `total` moments at a fixed rate, with its number and the time at which it was due. A caller
 * that measures from that time includes delays.
 */
export const atRate = async (rate: number, total: number, due: (number: number, at: number) => void): Promise<void> => {
  const began = performance.now()
  for (let number = 0; number < total; ) {
    const now = performance.now()
    for (let at = began; number < total; number++) {
      at = began + (number * 1000) / rate
      if (at > now) break
      due(number, at)
    }
    await wait(1)
  }
}
