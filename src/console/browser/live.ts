import { useEffect, useRef, useState } from 'preact/hooks'

export type Live = 'connecting' | 'live' | 'ended'

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
 * Listens to a stream that says the version of what is shown, and calls `again` when it is another one. The browser connects again
 * by itself after a loss; where the server refused, this does after a while, and once the page is seen again.
 */
export const useLive = (url: string, version: string | undefined, again: () => void): Live => {
  const [state, setState] = useState<Live>('connecting')
  const shown = useRef(version)
  shown.current = version

  useEffect(() => {
    let source: EventSource | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const connect = () => {
      source = new EventSource(url)
      source.onopen = () => setState('live')
      source.onmessage = ({ data }: MessageEvent<string>) => {
        const newest = versionOf(data)
        if (newest !== undefined && shown.current !== undefined && newest !== shown.current) again()
      }
      source.onerror = () => {
        const hasEnded = source?.readyState === EventSource.CLOSED
        setState(hasEnded ? 'ended' : 'connecting')
        if (!hasEnded) return
        // Whether the session has ended is known from this answer.
        again()
        timer = setTimeout(connect, againMs)
      }
    }
    connect()
    return () => {
      source?.close()
      clearTimeout(timer)
    }
  }, [url, again])
  return state
}
