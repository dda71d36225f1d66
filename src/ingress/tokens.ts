import { hash, timingSafeEqual } from 'node:crypto'
import type { Account } from '../domain/accounts.ts'

/** The tokens that an account is known by: two while one replaces the other. */
export type TokensOf = (account: Account) => ReadonlyArray<string | undefined>

const digest = (secret: string) => hash('sha256', secret, 'hex')

/** The account of a path's token, found by the token's digest: how long it takes says nothing about the tokens. */
export const byToken = (accounts: ReadonlyArray<Account>, tokensOf: TokensOf) => {
  const found = new Map<string, Account>()
  for (const account of accounts)
    for (const token of tokensOf(account)) if (token !== undefined) found.set(digest(token), account)
  return (token: string): Account | undefined => found.get(digest(token))
}

/** Compares in constant time. */
export const sameSecret = (a: string, b: string): boolean =>
  timingSafeEqual(Buffer.from(digest(a)), Buffer.from(digest(b)))
