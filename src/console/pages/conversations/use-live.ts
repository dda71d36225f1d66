import { useEffect, useRef, useState } from 'preact/hooks'
import type { Loaded } from '../../browser/hooks.ts'

export type Live = 'off' | 'connecting' | 'live' | 'ended'

const againMs = 5_000

const versionOf = (data: string): string | undefined => {
  try {
    const value = JSON.parse(data) as { version?: unknown }
    return typeof value.version === 'string' ? value.version : undefined
  } catch {
    return undefined
  }
}

/**
 * Listens to a stream with the newest version of the shown data, and reloads when the version changes. It waits for the
 * response of the request in progress, so that many quick changes do not cancel each request. The browser itself
 * reconnects after a lost connection. If the server refused, this hook reconnects after 5 s. There is no stream while
 * the tab is hidden or `isOn` is false: a browser opens only six connections to a server over HTTP/1.1.
 */
export const useLive = <A extends { readonly version: string }>(
  url: string,
  { value, isLoading, again }: Loaded<A>,
  isOn: boolean,
): Live => {
  const [state, setState] = useState<Live>('off')
  const [newest, setNewest] = useState<string>()
  const asked = useRef<string>(undefined)

  useEffect(() => {
    if (isLoading || newest === undefined || newest === value?.version || newest === asked.current) return
    asked.current = newest
    again()
  }, [newest, isLoading, value, again])

  const [isVisible, setVisible] = useState(!document.hidden)
  useEffect(() => {
    const onChange = () => setVisible(!document.hidden)
    document.addEventListener('visibilitychange', onChange)
    return () => document.removeEventListener('visibilitychange', onChange)
  }, [])

  const listens = isOn && isVisible
  useEffect(() => {
    if (!listens) {
      setState('off')
      return
    }
    setState('connecting')
    let source: EventSource | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const connect = () => {
      source = new EventSource(url)
      source.onopen = () => setState('live')
      source.onmessage = ({ data }: MessageEvent<string>) => {
        setNewest(versionOf(data))
      }
      source.onerror = () => {
        const hasEnded = source?.readyState === EventSource.CLOSED
        setState(hasEnded ? 'ended' : 'connecting')
        if (!hasEnded) return
        // The response shows whether the session has ended.
        again()
        timer = setTimeout(connect, againMs)
      }
    }
    connect()
    return () => {
      source?.close()
      clearTimeout(timer)
    }
  }, [url, again, listens])
  return state
}
