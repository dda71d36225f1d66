import type { ConsoleRole } from '../access-table.ts'
import type { SessionAnswer } from '../answers.ts'

export const pages = [
  'now',
  'conversations',
  'dead-letters',
  'quarantine',
  'statistics',
  'drift',
  'privacy',
  'audit',
] as const
export type Page = (typeof pages)[number]

/** The page in the address. `chat` is empty except on the page of one conversation. */
export type Route = {
  readonly account: string
  readonly page: Page
  readonly chat: string
  readonly query: URLSearchParams
}

/** The properties of every page. */
export type PageProps = {
  readonly account: string
  readonly roles: ReadonlyArray<ConsoleRole>
  readonly page: Page
  readonly query: URLSearchParams
  readonly session: SessionAnswer
}

export const titles: Readonly<Record<Page, string>> = {
  now: 'Now',
  conversations: 'Conversations',
  'dead-letters': 'Dead letters',
  quarantine: 'Quarantine',
  statistics: 'Statistics',
  drift: 'Drift',
  privacy: 'Privacy',
  audit: 'Audit log',
}

/** The second key after `g`. */
export const pageKeys: Readonly<Record<string, Page>> = {
  n: 'now',
  c: 'conversations',
  d: 'dead-letters',
  q: 'quarantine',
  s: 'statistics',
  r: 'drift',
  p: 'privacy',
  a: 'audit',
}

const neededRole: Partial<Record<Page, ConsoleRole>> = {
  'dead-letters': 'operator',
  quarantine: 'operator',
  privacy: 'privacy',
  audit: 'privacy',
}

/** The pages that a user with these roles can open. */
export const pagesFor = (roles: ReadonlyArray<ConsoleRole>): ReadonlyArray<Page> =>
  pages.filter((page) => {
    const role = neededRole[page]
    return role === undefined || roles.includes(role)
  })

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The route of a path below the base path. Undefined if the path names no page. */
export const routeOf = (base: string, path: string, search: string): Route | undefined => {
  if (!path.startsWith(base)) return undefined
  const [word, account = '', page, chat = '', ...others] = path.slice(base.length).split('/')
  const known = pages.find((each) => each === page)
  if (word !== 'accounts' || account === '' || known === undefined || others.length > 0) return undefined
  if (chat !== '' && known !== 'conversations') return undefined
  return { account: decoded(account), page: known, chat: decoded(chat), query: new URLSearchParams(search) }
}

/** The path of a page, relative to the base path. */
export const pathOf = (account: string, page: Page, query = '', chat = ''): string => {
  const parts = ['accounts', account, page, ...(chat === '' ? [] : [chat])].map(encodeURIComponent).join('/')
  return query === '' ? parts : `${parts}?${query}`
}
