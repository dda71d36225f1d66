import { simulation } from './simulation.ts'
import { account, answer, botMessage, networkFailure, ok } from './values.ts'

/** The service is unavailable, then has a fifth of its capacity, then all. Rates are per second, times in seconds. */
export type Outage = {
  readonly offered: number
  readonly capacity: number
  readonly awayFor: number
  readonly fifthFor: number
  readonly answersAfterMs?: number
  /** The replies go to this many chats in turn. */
  readonly chats?: number
}

export type Minute = { readonly attempts: number; readonly firsts: number; readonly taken: number }

/**
 * Offers replies until one minute after the outage has ended. Returns what the service received in each minute since
 * the outage began, and the second in which no reply waited any more.
 */
export const outage = async ({ offered, capacity, awayFor, fifthFor, answersAfterMs = 20, chats = 5000 }: Outage) => {
  const calmFor = 5
  const isBack = calmFor + awayFor
  const isFull = isBack + fifthFor
  const until = isFull + 60
  let tokens = 0
  let filledAt = 0
  const seen: Array<{ readonly at: number; readonly isFirst: boolean; readonly isTaken: boolean }> = []

  const takes = (at: number): boolean => {
    if (at < calmFor) return true
    if (at < isBack) return false
    const perSecond = at < isFull ? capacity / 5 : capacity
    tokens = Math.min(Math.max(1, perSecond / 4), tokens + (at - filledAt) * perSecond)
    filledAt = at
    if (tokens < 1) return false
    tokens -= 1
    return true
  }
  const w: ReturnType<typeof simulation> = simulation({
    accounts: [account({ attempts: 1000, deadlineMs: 3_600_000 })],
    answer: (_, nth) => {
      const at = w.time.monotonic() / 1000
      const isTaken = takes(at)
      seen.push({ at, isFirst: nth === 0, isTaken })
      if (isTaken) return { result: ok, afterMs: answersAfterMs }
      return { result: at < isBack ? networkFailure('ECONNREFUSED') : answer(503), afterMs: answersAfterMs }
    },
  })
  await w.start()
  const replies = until * offered
  for (let i = 0; i < replies; i += 1) {
    w.command(botMessage(`c${i}`, { chatId: `chat-${i % chats}` }))
    await w.time.pass(1000 / offered)
  }
  let drainedAt: number | undefined
  await w.time.until(() => {
    drainedAt ??= w.isDone() ? w.time.monotonic() / 1000 : undefined
    return drainedAt !== undefined
  })
  const minutes: ReadonlyArray<Minute> = Array.from({ length: Math.ceil((until - calmFor) / 60) }, (_, i) => {
    const ofMinute = seen.filter(({ at }) => at >= calmFor + 1 + i * 60 && at < calmFor + 1 + (i + 1) * 60)
    return {
      attempts: ofMinute.length,
      firsts: ofMinute.filter(({ isFirst }) => isFirst).length,
      taken: ofMinute.filter(({ isTaken }) => isTaken).length,
    }
  })
  const rateAt = (second: number) => seen.filter(({ at, isTaken }) => isTaken && at >= second && at < second + 1).length
  return { replies, applied: new Set(w.applied).size, minutes, drainedAt, isFull, isBack, rateAt, seen }
}
