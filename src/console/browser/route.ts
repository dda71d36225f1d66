import type { ConsoleRole } from '../../bridge/domain/accounts.ts'
import { percentDecoded } from '../../bridge/shared/text.ts'
import type { SessionAnswer, StripAnswer } from '../head.ts'
import { type PageName, pages } from './menu.ts'

/** The page in the address. `chat` is empty except on the page of one conversation. */
export type Route = {
  readonly account: string
  readonly page: PageName
  readonly chat: string
  readonly query: URLSearchParams
}

/** The properties of every page. */
export type PageProps = {
  readonly account: string
  readonly roles: ReadonlyArray<ConsoleRole>
  readonly page: PageName
  readonly query: URLSearchParams
  readonly session: SessionAnswer
  /** What the strip of every page shows. */
  readonly strip: StripAnswer | undefined
}

const decoded = (part: string): string => percentDecoded(part) ?? part

/** The route of a path below the base path. Undefined if the path names no page. */
export const routeOf = (base: string, path: string, search: string): Route | undefined => {
  if (!path.startsWith(base)) return undefined
  const [word, account = '', page, chat = '', ...others] = path.slice(base.length).split('/')
  const known = pages.find(({ name }) => name === page)?.name
  if (word !== 'accounts' || account === '' || known === undefined || others.length > 0) return undefined
  if (chat !== '' && known !== 'conversations') return undefined
  return { account: decoded(account), page: known, chat: decoded(chat), query: new URLSearchParams(search) }
}

/** The query of what is set: empty text is left out. */
export const queryOfSet = (all: Readonly<Record<string, string>>): URLSearchParams =>
  new URLSearchParams(Object.entries(all).filter(([, value]) => value !== ''))

/** The path of a page, relative to the base path. */
export const pathOf = (account: string, page: PageName, query = '', chat = ''): string => {
  const parts = ['accounts', account, page, ...(chat === '' ? [] : [chat])].map(encodeURIComponent).join('/')
  return query === '' ? parts : `${parts}?${query}`
}

/** The address of a list for the way back: with the filters that it had, if the user came from it. */
export const wayBack = (list: string, from: unknown): string =>
  typeof from === 'string' && from.startsWith(`${list}?`) ? from : list
