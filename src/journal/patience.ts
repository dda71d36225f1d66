import type { Sleep } from '../domain/ports.ts'

/** What the task gives, or undefined when it takes longer than this or the signal aborts; then nobody waits for it. */
export const within = async <A>(task: Promise<A>, ms: number, sleep: Sleep, signal: AbortSignal) => {
  const over = new AbortController()
  const end = () => over.abort('over')
  signal.addEventListener('abort', end)
  try {
    return await Promise.race([task, sleep(ms, over.signal).then(() => undefined)])
  } finally {
    signal.removeEventListener('abort', end)
    end()
  }
}
