/** Where an account's events go: complete URLs with their tokens. `tokenUrl` is where access tokens are issued. */
export type Bridge = { readonly webhooksUrl?: string; readonly botUrl: string; readonly tokenUrl?: string }

/** A customer's account as the service knows it. `bridge` may follow later: each side needs the other's address. */
export type ServiceAccount = {
  readonly id: string
  readonly providerId: string
  readonly token: string
  readonly authorization?: { readonly clientId: string; readonly secretKey: string }
  readonly bridge?: Bridge
}

/** The parts of a bridge's account from which the service's account is made. */
export type BridgeAccount = {
  readonly id: string
  readonly webhooks?: { readonly token: string }
  readonly bot: {
    readonly token: string
    readonly providerId: string
    readonly authorization?: { readonly clientId: string; readonly secretKey: string }
  }
}

/** The addresses of an account on a bridge. */
export const bridgeOf = (bridgeUrl: string, { webhooks, bot }: BridgeAccount): Bridge => ({
  ...(webhooks && { webhooksUrl: `${bridgeUrl}/webhooks/${encodeURIComponent(webhooks.token)}` }),
  botUrl: `${bridgeUrl}/bot/${encodeURIComponent(bot.token)}`,
  ...(bot.authorization && { tokenUrl: `${bridgeUrl}/oauth/token` }),
})

/** The service's side of a bridge's account. */
export const serviceAccountOf = (account: BridgeAccount, bridgeUrl?: string): ServiceAccount => ({
  id: account.id,
  providerId: account.bot.providerId,
  token: account.bot.token,
  ...(account.bot.authorization && { authorization: account.bot.authorization }),
  ...(bridgeUrl !== undefined && { bridge: bridgeOf(bridgeUrl, account) }),
})
