import { type Account, pathTokensOf } from '../domain/accounts.ts'
import { percentDecoded } from '../shared/text.ts'

/** The tokens of an account: two while one replaces the other. */
export type TokensOf = (account: Account) => ReadonlyArray<string | undefined>

/**
 * What a URL cannot have in its path as it stands: ? and # end the path, and clients or proxies leave out a segment that
 * is empty, `.` or `..`.
 */
const lostInPath = /[?#]|[\\/](?=[\\/])|[\\/](?:\.|%2e){1,2}(?=$|[\\/])/iu

/** The token as clients send it if somebody writes it at the end of a URL as it stands. */
const pasted = (token: string): string => new URL(`http://bridge/${token}`).pathname.slice(1)

const isLost = (token: string): boolean => `/${token}`.search(lostInPath) !== -1

/** The token as the end of a URL. */
export const tokenInUrl = (token: string): string => (isLost(token) ? encodeURIComponent(token) : pasted(token))

const encodedCharacters = (token: string): string =>
  [...'?#%/\\']
    .filter((character) => token.includes(character))
    .map((character) => `${encodeURIComponent(character)} for ${character}`)
    .join(', ')

/** Where the accounts have tokens that a URL cannot have as they stand, and how it can. Never with a value. */
export const tokensToEncode = (accounts: ReadonlyArray<Account>): ReadonlyArray<string> =>
  accounts.flatMap((account) =>
    pathTokensOf(account).flatMap(([path, token]) =>
      isLost(token)
        ? [`BRIDGE_CONFIG ${path} of account ${account.id}: in its URL write ${encodedCharacters(token)}`]
        : [],
    ),
  )

/**
 * Finds the account by the end of a path: its token percent-encoded, or as it stands, since base64 has / and +. A digest
 * is looked up, so that the response time reveals nothing about tokens.
 */
export const byPathToken = (
  accounts: ReadonlyArray<Account>,
  tokensOf: TokensOf,
  digest: (secret: string) => string,
): ((pathEnd: string) => Account | undefined) => {
  const tokens = accounts.flatMap((account) =>
    tokensOf(account).flatMap((token) => (token === undefined ? [] : [{ account, token }])),
  )
  const exact = new Map(tokens.map(({ account, token }) => [digest(token), account]))
  const asSent = new Map(
    tokens.flatMap(({ account, token }) => (isLost(token) ? [] : [[digest(pasted(token)), account] as const])),
  )
  const find = (end: string) => {
    const decoded = percentDecoded(end)
    const found = decoded === undefined ? undefined : exact.get(digest(decoded))
    if (found !== undefined) return found
    const sent = digest(end)
    return exact.get(sent) ?? asSent.get(sent)
  }
  return (end) => find(end) ?? (end.endsWith('/') ? find(end.slice(0, -1)) : undefined)
}
