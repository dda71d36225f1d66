import { hashOf } from './keys.ts'

const prefix = 'livechat_console_sign_in'
/** Each tab has its own sign-in, with its own cookie. More would exceed the limit of a request's headers. */
const maxTransactions = 5

/** The name of the cookie of a sign-in with OpenID Connect that is not finished. */
export const transactionCookieName = (state: string): string => `${prefix}_${hashOf(state).slice(0, 16)}`

/** The names of the cookies of all sign-ins of this browser that are not finished. */
export const transactionsIn = (cookies: string): ReadonlyArray<string> =>
  [...cookies.matchAll(/(?:^|;\s*)(livechat_console_sign_in_[\w-]{16})=/g)].flatMap(([, name]) => name ?? [])

/** Those that end when one more begins. */
export const surplusIn = (cookies: string): ReadonlyArray<string> =>
  transactionsIn(cookies).slice(0, 1 - maxTransactions)

/** The path if it is a page of the console, otherwise the first page. So sign-in never redirects to another site. */
export const pageAfterSignIn = (basePath: string, next: unknown): string => {
  const url = URL.parse(String(next), 'http://console.invalid')
  const isHere = url?.host === 'console.invalid' && url.pathname.startsWith(`${basePath}/`)
  return isHere ? `${url.pathname}${url.search}` : `${basePath}/`
}
