import { request } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { tokenInUrl, tokensToEncode } from '../../../src/bridge/ingress/path-token.ts'
import { sample } from '../../support/samples.ts'
import { accounts, send, start } from './harness.ts'

const [given] = accounts
if (given?.webhooks === undefined || given.bot === undefined) throw new Error('the first account has both interfaces')

const accepted = sample('webhooks', 'chat_accepted')

/** Tokens, and whether their URL works if the token is pasted into it as it stands. */
const tokens: ReadonlyArray<readonly [token: string, isPasted: boolean, encoded?: string]> = [
  ['k9/Qz+8rT1/mW+4yLp==', true],
  ['/k9Qz+8rT1mW+4yLp=', false, '%2F for /'],
  ['k9Qz+8rT1mW+4yLp/', true],
  ['k9Qz//8rT1mW4yLp', false, '%2F for /'],
  ['k9Qz/../8rT1mW4yLp', false, '%2F for /'],
  ['k9Qz/%2E%2e/8rT1mW4y', false, '%25 for %, %2F for /'],
  ['k9Qz\\8rT1mW4yLp11', true],
  ['k9Qz?8rT1mW4yLp11', false, '%3F for ?'],
  ['k9Qz#8rT1mW4yLp11', false, '%23 for #'],
  ['k9Qz%2F8rT1mW4yLp1', true],
  ['k9Qz%8rT1mW4yLpü€', true],
  [`k9Qz"<>^\`{|}8rT1mW4`, true],
  ['..k9Qz8rT1mW4yLp..', true],
  ["k9Qz!$&'()*,;:@=~-._", true],
]

const paths = suite('tokens in paths')
const { port, published, stop } = await start({
  accounts: tokens.map(([token], n) => ({
    ...given,
    id: `${given.id}-${n}` as typeof given.id,
    webhooks: { token },
    bot: { ...given.bot, token } as NonNullable<typeof given.bot>,
  })),
})
paths.after(stop)

/** Sends a webhook to a URL, as a client does in which somebody has pasted it. */
const pasted = (url: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(new URL(url), { method: 'POST', agent: false, headers: { 'content-type': 'application/json' } }, (res) => {
      res.resume().on('end', () => resolve(res.statusCode))
    })
      .on('error', reject)
      .end(accepted)
  })

const accountOf = async (sent: Promise<{ readonly status: number } | number | undefined>) => {
  published.length = 0
  await sent
  return published.map(({ data }) => data.accountId)
}

for (const [n, [token, isPasted, encoded]] of tokens.entries()) {
  const [own] = [[`acme-${n}`]]
  paths(`the token ${token} works percent-encoded${isPasted ? ', and as it stands' : ''}`, async () => {
    const percentEncoded = `/webhooks/${encodeURIComponent(token)}`
    assert.equal(await accountOf(send(port, percentEncoded, { body: accepted })), own)
    assert.equal(await accountOf(send(port, `${percentEncoded}/`, { body: accepted })), own)
    const host = `http://127.0.0.1:${port}/webhooks`
    assert.equal(await accountOf(pasted(`${host}/${tokenInUrl(token)}`)), own)
    if (isPasted) assert.equal(await accountOf(pasted(`${host}/${token}`)), own)
    const event = sample('bot-api', 'AGENT_JOINED')
    assert.is((await send(port, `/bot/${encodeURIComponent(token)}`, { body: event })).status, 200)
  })

  paths(`a warning ${encoded === undefined ? 'is not needed for' : 'says how to write'} ${token}`, () => {
    const told = tokensToEncode([{ ...given, id: 'acme' as typeof given.id, webhooks: { token } }])
    assert.equal(
      told,
      encoded === undefined ? [] : [`BRIDGE_CONFIG webhooks.token of account acme: in its URL write ${encoded}`],
    )
  })
}

paths('no other path leads to an account', async () => {
  for (const end of ['', '/', 'k9', 'k9/Qz+8rT1/mW+4yLp=', 'k9/Qz 8rT1/mW 4yLp==', '8rT1mW4yLp', '%zz'])
    assert.equal(await accountOf(send(port, `/webhooks/${encodeURI(end)}`, { body: accepted })), [], end)
})

paths.run()
