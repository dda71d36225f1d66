import { useEffect, useRef, useState } from 'preact/hooks'
import { counted } from '../../browser/format.ts'

/** A button with the number of new events below the visible ones. It scrolls to them; nothing else scrolls. */
export const NewBelow = ({ count }: { readonly count: number }) => {
  const end = useRef<HTMLDivElement>(null)
  const [seen, setSeen] = useState(count)
  const newest = useRef(count)
  newest.current = count
  useEffect(() => {
    if (end.current === null) return
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) setSeen(newest.current)
    })
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [])
  const isNew = count > seen
  return (
    <>
      <div class="new-below" role="status">
        {isNew && (
          <button type="button" class="primary" onClick={() => end.current?.scrollIntoView({ block: 'end' })}>
            {counted(count - seen, 'new event')} below
          </button>
        )}
      </div>
      <div ref={end} />
    </>
  )
}
