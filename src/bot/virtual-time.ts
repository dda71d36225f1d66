import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers'
import promises from 'node:timers/promises'
import { keyedQueue } from '../bridge/shared/keyed-queue.ts'

export type Clock = {
  /** In ms since the beginning. */
  readonly elapsed: () => number
}

type Timer = { at: number; readonly everyMs?: number; readonly call: () => void }

/** How many turns of the event loop without a due timer show that nothing is left to do now. */
const idleTurns = 20

/** What code uses to wait and to tell the time, and a clock that stands still until `advance`. */
const virtualClock = (beganAt: number) => {
  const pending = new Set<Timer>()
  let ms = 0
  const { Date: RealDate } = globalThis

  const start = (call: () => void, afterMs = 0, everyMs?: number) => {
    const timer: Timer = { at: ms + Math.max(0, afterMs), call, ...(everyMs !== undefined && { everyMs }) }
    pending.add(timer)
    const handle = {
      ref: () => handle,
      unref: () => handle,
      hasRef: () => true,
      refresh: () => {
        timer.at = ms + Math.max(0, afterMs)
        pending.add(timer)
        return handle
      },
      close: () => pending.delete(timer),
      [Symbol.dispose]: () => pending.delete(timer),
    }
    return handle
  }
  const clear = (handle?: { readonly close?: () => unknown }) => void handle?.close?.()
  const wait = (afterMs?: number, value?: unknown, { signal }: { readonly signal?: AbortSignal } = {}) =>
    new Promise((resolve, reject) => {
      const aborted = () => reject(new DOMException('The operation was aborted', 'AbortError'))
      if (signal?.aborted) return aborted()
      const stop = () => {
        handle.close()
        aborted()
      }
      const handle = start(() => {
        signal?.removeEventListener('abort', stop)
        resolve(value)
      }, afterMs)
      signal?.addEventListener('abort', stop, { once: true })
    })
  const now = () => beganAt + ms
  class VirtualDate extends RealDate {
    constructor(...given: ReadonlyArray<unknown>) {
      super(...((given.length === 0 ? [now()] : given) as [number]))
    }
    static override now = now
  }
  return {
    elapsed: () => ms,
    setTimeout: (call: (...args: unknown[]) => void, afterMs?: number, ...args: unknown[]) =>
      start(() => call(...args), afterMs),
    setInterval: (call: (...args: unknown[]) => void, everyMs = 1, ...args: unknown[]) =>
      start(() => call(...args), everyMs, Math.max(1, everyMs)),
    clear,
    wait,
    timeoutSignal: (afterMs: number) => {
      const controller = new AbortController()
      start(() => controller.abort(new DOMException('The operation timed out', 'TimeoutError')), afterMs)
      return controller.signal
    },
    VirtualDate,
    /** Moves the time to the next timer and calls it. False if there is none. */
    advance: (): boolean => {
      const next = [...pending].reduce<Timer | undefined>(
        (a, b) => (a !== undefined && a.at <= b.at ? a : b),
        undefined,
      )
      if (next === undefined) return false
      ms = Math.max(ms, next.at)
      if (next.everyMs === undefined) pending.delete(next)
      else next.at = ms + next.everyMs
      next.call()
      return true
    },
  }
}

/** Puts the virtual functions in the place of the real ones, under every name. The result undoes it. */
const install = (clock: ReturnType<typeof virtualClock>) => {
  const places: ReadonlyArray<readonly [object, Readonly<Record<string, unknown>>]> = [
    [
      globalThis,
      {
        setTimeout: clock.setTimeout,
        setInterval: clock.setInterval,
        clearTimeout: clock.clear,
        clearInterval: clock.clear,
        Date: clock.VirtualDate,
      },
    ],
    [
      timers,
      {
        setTimeout: clock.setTimeout,
        setInterval: clock.setInterval,
        clearTimeout: clock.clear,
        clearInterval: clock.clear,
      },
    ],
    [promises, { setTimeout: clock.wait }],
    [promises.scheduler, { wait: (ms: number, options?: object) => clock.wait(ms, undefined, options) }],
    [AbortSignal, { timeout: clock.timeoutSignal }],
    [performance, { now: clock.elapsed }],
  ]
  const undo = places.flatMap(([place, functions]) =>
    Object.entries(functions).map(([name, value]) => {
      const before = Object.getOwnPropertyDescriptor(place, name)
      Object.defineProperty(place, name, { configurable: true, writable: true, value })
      return () => {
        if (before === undefined) Reflect.deleteProperty(place, name)
        else Object.defineProperty(place, name, before)
      }
    }),
  )
  // Named imports of these modules follow.
  syncBuiltinESMExports()
  return () => {
    for (const each of undo) each()
    syncBuiltinESMExports()
  }
}

const { setImmediate: realSetImmediate } = globalThis
const turn = () => new Promise<void>((resolve) => realSetImmediate(resolve))
const oneByOne = keyedQueue()

/**
 * Runs work while the time of this process is virtual: it stands still while there is something to do, and then jumps
 * to the next timer. Ten seconds of waiting take none. Timers, `Date`, `performance.now` and `AbortSignal.timeout`
 * follow. A real request does not: it takes no virtual time, but a timer may overtake it.
 */
export const inVirtualTime = <A>(beganAt: number, work: (clock: Clock) => Promise<A>): Promise<A> =>
  oneByOne.run('', async () => {
    const clock = virtualClock(beganAt)
    const uninstall = install(clock)
    try {
      let isDone = false
      const working = work(clock).finally(() => {
        isDone = true
      })
      working.catch(() => {})
      while (!isDone) {
        for (let i = 0; i < idleTurns && !isDone; i += 1) await turn()
        if (!isDone) clock.advance()
      }
      return await working
    } finally {
      uninstall()
    }
  })
