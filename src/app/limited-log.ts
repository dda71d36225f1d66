import type { Log } from '../bridge/shared/log.ts'

type Level = 'info' | 'warn' | 'error'

const windowMs = 60_000
const maxLines = 20
/** Beyond this, lines of another account, topic or group count together with all that have the same message. */
const maxWindows = 1_000

/** Lines of one account, topic or group must not use up what another one may log. */
const ownerOf = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => ['accountId', 'topic', 'group'].includes(name)))

/** Calls `run` after so many milliseconds. */
export type After = (run: () => void, ms: number) => void

/** The process does not wait for it before it ends. */
export const afterUnlessEnded: After = (run, ms) => void setTimeout(run, ms).unref()

/**
 * A log that writes at most 20 equal lines a minute, and after that minute one line with the number of those that were
 * left out. Equal lines have the same level, message, account, topic and group. Debug lines have no limit, because an
 * operator asks for them for a short time.
 */
export const limitedLog = (log: Log, after: After): Log => {
  const windows = new Map<string, { lines: number; leftOut: number }>()

  const write = (level: Level) => (fields: object, message: string) => {
    const owner = ownerOf(fields)
    const own = JSON.stringify([level, message, owner])
    const isOwn = windows.has(own) || windows.size < maxWindows
    const kind = isOwn ? own : JSON.stringify([level, message])
    const window = windows.get(kind) ?? { lines: 0, leftOut: 0 }
    if (!windows.has(kind)) {
      windows.set(kind, window)
      after(() => {
        windows.delete(kind)
        if (window.leftOut > 0) log[level]({ ...(isOwn && owner), leftOut: window.leftOut }, message)
      }, windowMs)
    }
    if (window.lines < maxLines) {
      window.lines++
      log[level](fields, message)
    } else window.leftOut++
  }
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  }
}
