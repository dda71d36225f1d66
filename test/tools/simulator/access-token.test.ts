import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serviceAccountOf } from '../../../src/tools/simulator/account.ts'
import { startService } from '../../../src/tools/simulator/service.ts'
import { authorized, inviteAgent, providersPath } from './accounts.ts'
import { createCleanUp } from './clean-up.ts'
import { type Heard, startFakeBridge } from './fake-bridge.ts'

const { started, stopAll } = createCleanUp()

/** A bridge that issues the tokens t1, t2, …, valid for 100 s. Its bot addresses refuse the headers in `refused`. */
const given = async (refused: ReadonlyArray<string> = []) => {
  let minted = 0
  let ms = 0
  const respond = ({ path, authorization = '' }: Heard) => {
    if (path !== '/oauth/token') return { status: refused.includes(authorization) ? 401 : 200, body: {} }
    minted += 1
    return { status: 200, body: { access_token: `t${minted}`, token_type: 'Bearer', expires_in: 100 } }
  }
  const bridge = started(await startFakeBridge(respond))
  const service = started(await startService({ accounts: [serviceAccountOf(authorized, bridge.url)], now: () => ms }))
  const ask = async (authorization: string) => {
    const headers = { 'content-type': 'application/json', authorization }
    const body = JSON.stringify(inviteAgent)
    return (await fetch(`${service.baseUrl}${providersPath}`, { method: 'POST', headers, body })).status
  }
  return {
    service,
    ask,
    heard: () => bridge.heard.map(({ path, authorization }) => authorization ?? path),
    firstBody: () => bridge.heard[0]?.body,
    pass: (time: number) => {
      ms += time
    },
  }
}

const accessToken = suite('access token')

accessToken('it is exchanged once, by client credentials, and sent with every event', async () => {
  const { service, heard, firstBody } = await given()
  await service.clientWrites('1', 'one')
  await Promise.all([service.clientWrites('1', 'two'), service.clientWrites('2', 'three')])
  assert.equal(heard(), ['/oauth/token', 't1', 't1', 't1'])
  assert.is(firstBody(), 'grant_type=client_credentials&client_id=globex&client_secret=secret-key-of-globex')
})

accessToken('events at the same time share one exchange', async () => {
  const { service, heard } = await given()
  await Promise.all([service.clientWrites('1', 'one'), service.clientWrites('2', 'two')])
  assert.equal(heard(), ['/oauth/token', 't1', 't1'])
})

accessToken('it is renewed before it expires', async () => {
  const { service, heard, pass } = await given()
  await service.clientWrites('1', 'one')
  pass(89_999)
  await service.clientWrites('1', 'two')
  pass(1)
  await service.clientWrites('1', 'three')
  assert.equal(heard(), ['/oauth/token', 't1', 't1', '/oauth/token', 't2'])
})

accessToken('after a 401 the second attempt has a new token', async () => {
  const { service, heard } = await given(['t1'])
  const { regular } = await service.clientWrites('1', 'one')
  assert.is(regular, true)
  assert.equal(heard(), ['/oauth/token', 't1', '/oauth/token', 't2'])
})

accessToken('without a token the attempt fails and the chat goes to an agent', async () => {
  const bridge = started(await startFakeBridge(() => ({ status: 401, body: { error: 'invalid_client' } })))
  const service = started(await startService({ accounts: [serviceAccountOf(authorized, bridge.url)], now: () => 0 }))
  const exchange = await service.clientWrites('1', 'one')
  const failed = { at: 0, tookMs: 0, kind: 'unanswered', reason: 'no access token: HTTP 401' }
  assert.equal(exchange, { id: exchange.id, regular: false, attempts: [failed, failed] })
  assert.is(service.chat('1')?.state, 'invited')
})

accessToken('the service accepts the token that it issued to the bot, until it expires', async () => {
  const { service, ask, pass } = await given()
  await service.clientWrites('1', 'one')
  const held = await ask('t1')
  pass(90_000)
  await service.clientWrites('1', 'two')
  const renewed = [await ask('t1'), await ask('t2')]
  assert.equal({ held, renewed }, { held: 200, renewed: [200, 200] })
  pass(10_000)
  assert.is(await ask('t1'), 401)
})

accessToken('a token that the service does not have is compared with the result of an exchange', async () => {
  const { ask, heard } = await given()
  assert.equal([await ask('t1'), await ask('another')], [200, 401])
  assert.equal(heard(), ['/oauth/token', '/oauth/token'])
})

accessToken.after.each(stopAll)
accessToken.run()
