import { constants } from 'node:os'

const signals = ['SIGINT', 'SIGTERM'] as const

/** npm and npx send the terminal's SIGINT to their child a second time. Nobody decides to press it twice so soon. */
const repeatedWithinMs = 5_000

/**
 * Aborts on the first SIGINT or SIGTERM, which does not end the process. A second signal within five seconds changes
 * nothing. A later one ends the process at once, and `say` gets the reason.
 */
export const firstSignal = (say: (line: string) => void): AbortSignal => {
  const controller = new AbortController()
  let firstAt: number | undefined
  const onSignal = (signal: (typeof signals)[number]) => {
    const now = performance.now()
    if (firstAt === undefined) {
      firstAt = now
      controller.abort()
    } else if (now - firstAt > repeatedWithinMs) {
      say(`A second ${signal}: ended at once, without waiting for work in progress.`)
      process.exit(128 + constants.signals[signal])
    }
  }
  for (const signal of signals) process.on(signal, onSignal)
  return controller.signal
}
