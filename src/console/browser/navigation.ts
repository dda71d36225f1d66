import { useEffect, useState } from 'preact/hooks'
import { base } from './api.ts'

const moved = 'console-moved'

const last = { wasBack: false }
/** True if the shown page was reached by Back or Forward: then it is shown as it was left. */
export const cameBack = (): boolean => last.wasBack

/** The address from which a link of the console led to the shown page. Undefined if the page was opened by its address. */
export const cameFrom = (): unknown => history.state?.from

/** Opens a path below the base path without a page load. */
export const go = (path: string, how: 'push' | 'replace' = 'push'): void => {
  last.wasBack = false
  if (how === 'push') history.pushState({ from: `${location.pathname}${location.search}` }, '', `${base}${path}`)
  else history.replaceState(history.state, '', `${base}${path}`)
  window.dispatchEvent(new Event(moved))
}

/** The address. It updates when the address changes. */
export const useAddress = (): { readonly path: string; readonly search: string } => {
  const read = () => ({ path: location.pathname, search: location.search })
  const [address, setAddress] = useState(read)
  useEffect(() => {
    const onMove = () => setAddress(read())
    const onBack = () => {
      last.wasBack = true
      onMove()
    }
    window.addEventListener('popstate', onBack)
    window.addEventListener(moved, onMove)
    return () => {
      window.removeEventListener('popstate', onBack)
      window.removeEventListener(moved, onMove)
    }
  }, [])
  return address
}

/** Follows links to pages of the console without a page load. The browser handles all other links. */
export const followLinks = (): (() => void) => {
  const onClick = (event: MouseEvent) => {
    if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (link === null || link.target !== '' || link.hasAttribute('download')) return
    if (link.origin !== location.origin || !link.pathname.startsWith(`${base}accounts/`)) return
    event.preventDefault()
    go(`${link.pathname.slice(base.length)}${link.search}`)
    window.scrollTo(0, 0)
  }
  document.addEventListener('click', onClick)
  return () => document.removeEventListener('click', onClick)
}
