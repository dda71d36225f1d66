import type { IssueToken } from '../../domain/ports.ts'
import type { BotOwner } from '../check-command.ts'

/** Gives an account's access token, undefined for one without authorization; `forget` makes the next one fresh. */
export type TokenCache = {
  readonly tokenOf: (account: BotOwner) => Promise<string | undefined>
  readonly forget: (account: BotOwner) => void
}

/** Keeps each account's token for half of its life; `monotonic` in ms. */
export const tokenCache = (issueToken: IssueToken, monotonic: () => number): TokenCache => {
  const kept = new Map<string, { readonly token: string; readonly until: number }>()
  return {
    tokenOf: async (account) => {
      if (account.bot.authorization === undefined) return undefined
      const known = kept.get(account.id)
      if (known !== undefined && monotonic() < known.until) return known.token
      const { token, expiresIn } = await issueToken(account)
      kept.set(account.id, { token, until: monotonic() + expiresIn * 500 })
      return token
    },
    forget: ({ id }) => {
      kept.delete(id)
    },
  }
}
