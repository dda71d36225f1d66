import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Result, Trouble } from './api.ts'
import { againAfterMs } from './current-state.ts'

export type Loaded<A> = {
  /** The newest response. It stays during the next request and after a failed one. */
  readonly value: A | undefined
  /** When that response came, in ms since 1970 by the browser's clock. */
  readonly at: number | undefined
  /** The key of that response. */
  readonly of: string | undefined
  readonly trouble: Trouble | undefined
  readonly isLoading: boolean
  readonly again: () => void
}

type Load<A> = (signal: AbortSignal) => Promise<Result<A>>

/**
 * Sends a request when the key changes, and again `everyMs` after each response while the page is visible, and if a
 * server did not answer. A response that arrives after the key has changed is dropped.
 */
export const useLoad = <A>(key: string, load: Load<A>, everyMs = 0): Loaded<A> => {
  const [state, setState] = useState<Omit<Loaded<A>, 'again'>>({
    value: undefined,
    at: undefined,
    of: undefined,
    trouble: undefined,
    isLoading: true,
  })
  const [round, setRound] = useState(0)
  const current = useRef(load)
  current.current = load

  // A new key or a new round sends a request. A layout effect, so that the request does not wait for the paint.
  useLayoutEffect(() => {
    const ended = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let afterMs = everyMs
    const wait = () => {
      // Two requests can be under way, when the page is seen again during one. Only one of them goes on.
      clearTimeout(timer)
      if (afterMs > 0 && !ended.signal.aborted) timer = setTimeout(ask, afterMs)
    }
    const ask = async () => {
      if (document.hidden && afterMs > 0) return wait()
      setState((before) => ({ ...before, isLoading: true }))
      const result = await current.current(ended.signal)
      if (ended.signal.aborted) return
      afterMs = againAfterMs(everyMs, result.ok ? undefined : result.trouble)
      setState((before) =>
        result.ok
          ? { value: result.value, at: Date.now(), of: key, trouble: undefined, isLoading: false }
          : { ...before, trouble: result.trouble, isLoading: false },
      )
      wait()
    }
    const seen = () => {
      if (document.hidden || afterMs === 0) return
      clearTimeout(timer)
      void ask()
    }
    document.addEventListener('visibilitychange', seen)
    void ask()
    return () => {
      ended.abort()
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', seen)
    }
  }, [key, round, everyMs])

  const again = useCallback(() => setRound((before) => before + 1), [])
  return { ...state, again }
}

export type Action<A> = {
  readonly value: A | undefined
  readonly trouble: Trouble | undefined
  readonly isBusy: boolean
  readonly run: (act: () => Promise<Result<A>>) => Promise<void>
  readonly clear: () => void
}

/** An action of a button. `before`: its result when the page was left. While it runs, further calls of `run` are ignored. */
export const useAction = <A>(before?: A): Action<A> => {
  const none = { value: undefined, trouble: undefined, isBusy: false }
  const [state, setState] = useState<Pick<Action<A>, 'value' | 'trouble' | 'isBusy'>>({ ...none, value: before })
  const busy = useRef(false)
  return {
    ...state,
    run: async (act) => {
      if (busy.current) return
      busy.current = true
      setState((before) => ({ ...before, trouble: undefined, isBusy: true }))
      const result = await act()
      busy.current = false
      setState(
        result.ok
          ? { value: result.value, trouble: undefined, isBusy: false }
          : { value: undefined, trouble: result.trouble, isBusy: false },
      )
    },
    clear: () => setState(none),
  }
}

/** True while the window has room for filters above a table. */
export const useIsWide = (): boolean => {
  const [wide] = useState(() => matchMedia('(min-width: 48.01rem)'))
  const [isWide, setWide] = useState(wide.matches)
  useEffect(() => {
    const changed = () => setWide(wide.matches)
    wide.addEventListener('change', changed)
    return () => wide.removeEventListener('change', changed)
  }, [])
  return isWide
}

/** The current time, updated every second while the page is visible. */
export const useNow = (): number => {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setNow(Date.now())
    }, 1_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
