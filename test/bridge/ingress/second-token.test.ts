import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { sample } from '../../support/samples.ts'
import { accounts, send, start } from './harness.ts'

const rotating = accounts.map((account) => ({
  ...account,
  ...(account.webhooks && { webhooks: { ...account.webhooks, secondToken: `second-${account.webhooks.token}` } }),
  ...(account.bot && {
    bot: {
      ...account.bot,
      secondToken: `second-${account.bot.token}`,
      ...(account.bot.authorization && {
        authorization: { ...account.bot.authorization, secondSecretKey: 'second secret of guarded' },
      }),
    },
  }),
}))

const tokens = suite('tokens that are replaced')
const { port, stop, published } = await start({ accounts: rotating })
tokens.after(stop)

const status = async (path: string, body: string) => (await send(port, path, { body })).status

tokens('both tokens lead to the account, and no other token does', async () => {
  const accepted = sample('webhooks', 'chat_accepted')
  const joined = sample('bot-api', 'AGENT_JOINED')
  for (const token of ['webhooks-token-acme', 'second-webhooks-token-acme'])
    assert.is(await status(`/webhooks/${token}`, accepted), 200)
  for (const token of ['bot-token-of-acme', 'second-bot-token-of-acme'])
    assert.is(await status(`/bot/${token}`, joined), 200)
  assert.is(await status('/webhooks/third-webhooks-token-acme', accepted), 401)
  assert.is(await status('/webhooks/second-bot-token-of-acme', accepted), 401)
  assert.equal([...new Set(published.map(({ data }) => data.accountId))], ['acme'])
})

tokens('both secrets are granted an access token, and no other one is', async () => {
  const ask = (client_secret: string) =>
    status(
      '/oauth/token',
      JSON.stringify({ grant_type: 'client_credentials', client_id: 'guarded-client', client_secret }),
    )
  assert.equal(
    [await ask('guarded secret+key/1'), await ask('second secret of guarded'), await ask('third secret of guarded')],
    [200, 200, 401],
  )
})

tokens.run()
