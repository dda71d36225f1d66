import { leavesField } from './leaves-field.ts'
import { type PageName, pages } from './menu.ts'

type Acts = {
  readonly open: (page: PageName) => void
  readonly help: () => void
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input:not([type=checkbox]), select, textarea, [contenteditable]')

let isWanted = false

const focusSearch = (): boolean => {
  const search = document.querySelector<HTMLInputElement>('main [data-search]')
  search?.focus()
  search?.select()
  return search !== null
}

/** Focuses the search if `/` was pressed on the previous page. True if the search now has the focus. */
export const focusWantedSearch = (): boolean => {
  const wasWanted = isWanted
  isWanted = false
  return wasWanted && focusSearch()
}

/** Moves the focus to the next or the previous entry of the page's list. */
const move = (step: 1 | -1): void => {
  const items = [...document.querySelectorAll<HTMLElement>('main [data-item]')]
  const focused = items.indexOf(document.activeElement as HTMLElement)
  // If the focus is in the panel, start from the entry that the panel shows.
  const at = focused === -1 ? items.findIndex((item) => item.ariaPressed === 'true') : focused
  const next = items[at === -1 ? (step === 1 ? 0 : items.length - 1) : at + step]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}

/** Listens to the keys that work on every page, until the returned function is called. */
export const listenToKeys = ({ open, help }: Acts): (() => void) => {
  let isAfterG = false
  let leaving: HTMLElement | undefined
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]') !== null) return
    if (isTyping(event.target)) {
      const field = event.target as HTMLElement
      const { key, isComposing } = event
      const leaves = leavesField({ key, isSearch: field.matches('[data-search]'), isComposing })
      if (leaves === 'at once') field.blur()
      leaving = leaves === 'key up' ? field : undefined
      return
    }
    const page = isAfterG ? pages.find(({ key }) => key === event.key)?.name : undefined
    isAfterG = event.key === 'g'
    if (page !== undefined) open(page)
    else if (event.key === 'j') move(1)
    else if (event.key === 'k') move(-1)
    else if (event.key === '?') help()
    else if (event.key === '/') {
      if (!focusSearch()) {
        isWanted = true
        open('conversations')
      }
    } else return
    event.preventDefault()
  }
  const onKeyUp = () => {
    leaving?.blur()
    leaving = undefined
  }
  document.addEventListener('keydown', onKeyDown)
  document.addEventListener('keyup', onKeyUp)
  return () => {
    document.removeEventListener('keydown', onKeyDown)
    document.removeEventListener('keyup', onKeyUp)
  }
}

/** The rows of the help dialog. */
export const keyHelp: ReadonlyArray<readonly [keys: string, what: string]> = [
  ['/', 'Search conversations'],
  ['j  k', 'Next, previous entry of a list'],
  ['Enter', 'Open the entry'],
  ['Esc', 'Close the panel, leave the field; Enter leaves the search too'],
  ...pages.map(({ key, title }) => [`g ${key}`, title] as const),
  ['?', 'These keys'],
]
