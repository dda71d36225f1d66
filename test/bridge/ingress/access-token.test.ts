import { decodeJwt, SignJWT } from 'jose'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AccountId, Id, Instant } from '../../../contracts/primitives.ts'
import type { Account } from '../../../src/bridge/domain/accounts.ts'
import { accessTokens } from '../../../src/bridge/ingress/access-token.ts'
import { right } from '../../support/either.ts'

const account = (id: string, secretKey: string, secondSecretKey?: string): Account => ({
  id: right(AccountId.decode(id)),
  timeZone: 'UTC',
  bot: {
    token: 'bot-token-00000001',
    providerId: 'prov1',
    baseUrl: 'https://bot.example.com',
    authorization: {
      clientId: right(Id.decode(id)),
      secretKey,
      ...(secondSecretKey !== undefined && { secondSecretKey }),
    },
    replyWithin: 10_000,
    attempts: 8,
    timeouts: 8,
    deadlineMs: 300_000,
  },
  requestsPerSecond: 10,
})
const acme = account('acme', 'secret-key-of-acme')
const other = account('other', 'secret-key-of-other')
const open: Account = { id: right(AccountId.decode('open')), requestsPerSecond: 10, timeZone: 'UTC' }

/** Tokens of an instance whose clock the test sets. */
const instance = (time: string, accounts = [acme, other, open]) => {
  let now = time
  const tokens = accessTokens(accounts, () => right(Instant.decode(now)))
  return {
    ...tokens,
    at: (later: string) => {
      now = later
    },
  }
}

const accessToken = suite('access token')

accessToken('every instance issues the same token within an hour, and all instances accept it', async () => {
  const early = await instance('2026-01-31T12:00:00Z').issue(acme)
  const late = await instance('2026-01-31T12:59:59Z').issue(acme)
  assert.is(early.token, late.token)
  assert.equal([early.expiresIn, late.expiresIn], [7200, 3601])
  assert.equal(decodeJwt(early.token), { iss: 'livechat-bridge', sub: 'acme', iat: 1769860800, exp: 1769868000 })
  assert.ok(await instance('2026-01-31T12:30:00Z').verify(acme, early.token))
})

accessToken('a token expires, even if it was verified before', async () => {
  const tokens = instance('2026-01-31T12:00:00Z')
  const { token } = await tokens.issue(acme)
  tokens.at('2026-01-31T13:59:59Z')
  assert.equal([await tokens.verify(acme, token), await tokens.verify(acme, token)], [true, true])
  tokens.at('2026-01-31T14:00:00Z')
  assert.is(await tokens.verify(acme, token), false)
  assert.is(await instance('2026-01-31T14:00:00Z').verify(acme, token), false)
})

accessToken('the next hour has another token, and the old one is still accepted', async () => {
  const tokens = instance('2026-01-31T12:30:00Z')
  const first = await tokens.issue(acme)
  tokens.at('2026-01-31T13:00:00Z')
  const second = await tokens.issue(acme)
  assert.is.not(first.token, second.token)
  assert.equal([await tokens.verify(acme, first.token), await tokens.verify(acme, second.token)], [true, true])
})

accessToken('another account’s token, another secret’s, and anything else is refused', async () => {
  const tokens = instance('2026-01-31T12:00:00Z')
  const { token } = await tokens.issue(acme)
  const changed = await instance('2026-01-31T12:00:00Z', [account('acme', 'another-secret-key')]).issue(acme)
  const signedWithSecret = await new SignJWT()
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('livechat-bridge')
    .setSubject('acme')
    .setExpirationTime(1_900_000_000)
    .sign(new TextEncoder().encode('secret-key-of-acme'))
  const unsigned = `${btoa('{"alg":"none"}')}.${token.split('.')[1]}.`
  assert.ok(await tokens.verify(acme, token))
  assert.is(await tokens.verify(other, token), false)
  for (const wrong of [changed.token, signedWithSecret, unsigned, '', 'x', 'a.b.c', `${token}x`, `${token}.`])
    assert.is(await tokens.verify(acme, wrong), false)
})

accessToken(
  'while the secret is replaced, tokens of both secrets are accepted, and the first secret signs',
  async () => {
    const time = '2026-01-31T12:00:00Z'
    const [before, after] = ['secret-key-of-acme', 'another-secret-key']
    const of = (...secrets: readonly [string, string?]) => instance(time, [account('acme', ...secrets)])
    const [old, rotating, fresh] = [of(before), of(after, before), of(after)]
    const tokens = [await old.issue(acme), await fresh.issue(acme)].map(({ token }) => token)
    assert.equal((await rotating.issue(acme)).token, tokens[1])
    const taken = (by: typeof old) => Promise.all(tokens.map((token) => by.verify(acme, token)))
    assert.equal(
      [await taken(old), await taken(rotating), await taken(fresh)],
      [
        [true, false],
        [true, true],
        [false, true],
      ],
    )
  },
)

accessToken('an account without authorization has no token', async () => {
  const tokens = instance('2026-01-31T12:00:00Z')
  const { token } = await tokens.issue(acme)
  assert.is(await tokens.verify(open, token), false)
  assert.is(
    await tokens.issue(open).catch((e: Error) => e.message),
    'an account without authorization has no access token',
  )
})

accessToken.run()
