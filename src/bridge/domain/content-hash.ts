import { createHmac, hkdfSync } from 'node:crypto'
import type { Account } from './accounts.ts'

/**
 * HMAC-SHA-256 of a request's body in base64url. Its key is derived from the account's webhooks token: nobody without
 * the token can test which body a hash belongs to. Equal bodies of an account have equal hashes until its token is
 * replaced.
 */
export type ContentHash = (account: Account, body: Uint8Array) => string

export const contentHashes = (accounts: ReadonlyArray<Account>): ContentHash => {
  const keys = new Map(
    accounts.flatMap(({ id, webhooks }) =>
      webhooks === undefined
        ? []
        : [[id, Buffer.from(hkdfSync('sha256', webhooks.token, '', `livechat-bridge content hash 1 ${id}`, 32))]],
    ),
  )
  return ({ id }, body) => {
    const key = keys.get(id)
    if (key === undefined) throw new Error('an account without webhooks has no content hash')
    return createHmac('sha256', key).update(body).digest('base64url')
  }
}
