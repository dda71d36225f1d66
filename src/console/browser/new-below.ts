import { useEffect, useRef, useState } from 'preact/hooks'
import { counted } from './format.ts'
import { html } from './html.ts'

/** Says how many events have come below what can be seen, and leads there. Nothing scrolls by itself. */
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
  return html`
    <div class="new-below" role="status">
      ${
        isNew &&
        html`<button type="button" class="primary" onClick=${() => end.current?.scrollIntoView({ block: 'end' })}>
          ${counted(count - seen, 'new event')} below
        </button>`
      }
    </div>
    <div ref=${end}></div>
  `
}
