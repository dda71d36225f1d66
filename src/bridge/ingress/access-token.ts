import { hash, hkdfSync } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import type { Account, IssueToken, VerifyToken } from '../domain/accounts.ts'
import type { Now } from '../domain/clock.ts'

const algorithm = 'HS256'
const issuer = 'livechat-bridge'
const [hour, lifetime] = [3600, 7200]

/** A signing key. It is derived, so the key that signs tokens is never the secret that the client sends. */
const keyOf = ({ id }: Account, secret: string) =>
  new Uint8Array(hkdfSync('sha256', secret, '', `livechat-bridge access token 1 ${id}`, 32))

/** The first key signs. While an operator replaces the secret, tokens of the second key are accepted too. */
const keysOf = (account: Account): ReadonlyArray<Uint8Array> => {
  const { secretKey, secondSecretKey } = account.bot?.authorization ?? {}
  return [secretKey, secondSecretKey].flatMap((secret) => (secret === undefined ? [] : [keyOf(account, secret)]))
}

const digestOf = (id: string, token: string) => `${id}/${hash('sha256', token, 'base64url')}`

/**
 * Access tokens of Interface B: JWTs that are signed with HS256 under a key derived from the account's secret. So every
 * instance can check them. A token begins at the full hour and lives two hours. All instances issue the same token
 * within an hour. It is valid for one to two hours more (`expiresIn`, in seconds). A verified token is cached by its
 * digest until it expires. An account and a secret have at most two valid tokens. The cache is emptied when it has ten
 * for each account.
 */
export const accessTokens = (
  accounts: ReadonlyArray<Account>,
  now: Now,
): { readonly issue: IssueToken; readonly verify: VerifyToken } => {
  const keys = new Map(accounts.map((account) => [account.id, keysOf(account)]))
  const verified = new Map<string, number>()
  const seconds = () => Math.floor(Date.parse(now()) / 1000)

  const remember = (digest: string, exp: number) => {
    if (verified.size >= accounts.length * 10) verified.clear()
    verified.set(digest, exp)
  }

  const issue: IssueToken = async (account) => {
    const [key] = keys.get(account.id) ?? []
    if (key === undefined) throw new Error('an account without authorization has no access token')
    const issuedAt = Math.floor(seconds() / hour) * hour
    const token = await new SignJWT()
      .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
      .setIssuer(issuer)
      .setSubject(account.id)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + lifetime)
      .sign(key)
    return { token, expiresIn: issuedAt + lifetime - seconds() }
  }

  const isSignedBy = async (key: Uint8Array, { id }: Account, token: string): Promise<boolean> => {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: [algorithm],
        issuer,
        subject: id,
        requiredClaims: ['exp'],
        currentDate: new Date(seconds() * 1000),
      })
      if (payload.exp !== undefined) remember(digestOf(id, token), payload.exp)
      return true
    } catch (thrown) {
      if (thrown instanceof errors.JOSEError) return false
      throw thrown
    }
  }

  const verify: VerifyToken = async (account, token) => {
    const known = verified.get(digestOf(account.id, token))
    if (known !== undefined) return known > seconds()
    for (const key of keys.get(account.id) ?? []) if (await isSignedBy(key, account, token)) return true
    return false
  }

  return { issue, verify }
}
