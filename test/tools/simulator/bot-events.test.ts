import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serviceAccountOf } from '../../../src/tools/simulator/account.ts'
import type { Exchange } from '../../../src/tools/simulator/send.ts'
import { startService } from '../../../src/tools/simulator/service.ts'
import { plain } from './accounts.ts'
import { createCleanUp } from './clean-up.ts'
import { type Respond, startFakeBridge } from './fake-bridge.ts'

const ok = { status: 200, body: { result: 'ok' } }
const { started, stopAll } = createCleanUp()

/** A service in front of a bridge with these answers. It has the real timeout, because a busy machine may be slow. */
const given = async (respond: Respond, timeoutMs = 3_000) => {
  const bridge = started(await startFakeBridge(respond))
  const accounts = [serviceAccountOf(plain, bridge.url)]
  return { bridge, service: started(await startService({ accounts, timeoutMs, now: () => 0 })) }
}

const outcome = ({ attempts, regular }: Exchange) => ({
  regular,
  attempts: attempts.map((attempt) => (attempt.kind === 'answered' ? attempt.status : attempt.reason)),
})

const botEvents = suite('bot events')

botEvents('a regular response ends the exchange after one attempt', async () => {
  const { bridge, service } = await given(() => ok)
  const exchange = await service.clientWrites('2037', 'Hello', {
    clientId: '1233',
    fields: { id: 'e1', message: { type: 'TEXT', text: 'Hello', timestamp: 1665415879 } },
  })
  assert.equal(exchange, {
    id: 'e1',
    regular: true,
    attempts: [{ at: 0, tookMs: 0, kind: 'answered', ...ok }],
  })
  assert.equal(
    bridge.heard.map(({ path, body }) => [path, JSON.parse(body)]),
    [
      [
        '/bot/bot-token-of-acme',
        {
          event: 'CLIENT_MESSAGE',
          id: 'e1',
          site_id: '123456',
          client_id: '1233',
          chat_id: '2037',
          agents_online: true,
          sender: { id: 1233, name: 'John Smith', url: 'https://shop.example.com', has_contacts: true },
          message: { type: 'TEXT', text: 'Hello', timestamp: 1665415879 },
          channel: { id: '12345678', type: 'widget' },
        },
      ],
    ],
  )
  assert.is(service.chat('2037')?.state, 'bot')
})

botEvents('a second attempt is the same event again', async () => {
  const answers = [{ status: 503, body: {} }, ok]
  const { bridge, service } = await given(() => answers.shift())
  const exchange = await service.clientWrites('2037', 'Hello')
  assert.equal(outcome(exchange), { regular: true, attempts: [503, 200] })
  assert.is(bridge.heard.length, 2)
  assert.is(bridge.heard[0]?.body, bridge.heard[1]?.body)
  assert.is(service.chat('2037')?.state, 'bot')
})

botEvents('two irregular responses move the chat to an agent', async () => {
  const { bridge, service } = await given(() => ({ status: 401, body: {} }))
  const exchange = await service.clientWrites('2037', 'Hello', { clientId: '1233' })
  assert.equal(outcome(exchange), { regular: false, attempts: [401, 401] })
  assert.is(bridge.heard.length, 2)
  assert.equal(service.chat('2037'), {
    accountId: 'acme',
    chatId: '2037',
    clientId: '1233',
    state: 'invited',
    delivered: [],
    invitations: [{ by: 'service', id: exchange.id, at: 0 }],
    transcript: [{ from: 'client', text: 'Hello', at: 0 }],
  })
})

botEvents('two attempts without an answer in time move the chat to an agent', async () => {
  const { bridge, service } = await given(() => undefined, 300)
  const exchange = await service.clientWrites('2037', 'Hello')
  assert.equal(outcome(exchange), { regular: false, attempts: ['timeout', 'timeout'] })
  assert.is(bridge.heard.length, 2)
  assert.is(service.chat('2037')?.state, 'invited')
})

botEvents('a refused connection is an irregular response, until the service gets another address', async () => {
  const { bridge, service } = await given(() => ok)
  const gone = await startFakeBridge()
  await gone.stop()
  service.connect('acme', { botUrl: `${gone.url}/bot/x` })
  const failed = await service.clientWrites('2037', 'Hello')
  service.connect('acme', { botUrl: `${bridge.url}/bot/x` })
  const taken = await service.agentJoins('2037')
  assert.equal(outcome(failed), { regular: false, attempts: ['ECONNREFUSED', 'ECONNREFUSED'] })
  assert.equal(outcome(taken), { regular: true, attempts: [200] })
})

botEvents(
  'an event during a chat with an agent leaves the chat with the agent, even without a regular response',
  async () => {
    const { service } = await given(() => ({ status: 500, body: {} }))
    await service.agentJoins('2037')
    assert.is(service.chat('2037')?.state, 'agent')
    assert.equal(service.chat('2037')?.invitations, [])
  },
)

botEvents('each step of a chat sends an event to the bot and changes who has the chat', async () => {
  const { bridge, service } = await given(() => ok)
  const states: unknown[] = []
  const note = () => states.push(service.chat('2037')?.state)
  await service.clientWrites('2037', 'agent', { clientId: '1233' }).then(note)
  await service.agentInvited('2037').then(note)
  await service.agentUnavailable('2037').then(note)
  await service.agentJoins('2037').then(note)
  await service.closeChat('2037').then(note)
  await service.clientWrites('2037', 'Hello again').then(note)
  assert.equal(states, ['bot', 'invited', 'bot', 'agent', 'closed', 'bot'])
  assert.equal(
    bridge.heard
      .map(({ body }) => JSON.parse(body))
      .map(({ event, chat_id, client_id }) => [event, chat_id, client_id]),
    [
      ['CLIENT_MESSAGE', '2037', '1233'],
      ['INVITE_AGENT', '2037', '1233'],
      ['AGENT_UNAVAILABLE', '2037', '1233'],
      ['AGENT_JOINED', '2037', '1233'],
      ['CHAT_CLOSED', '2037', '1233'],
      ['CLIENT_MESSAGE', '2037', '1233'],
    ],
  )
})

botEvents('a webhook is sent once, for any answer', async () => {
  const { bridge, service } = await given(() => ({ status: 503, body: { result: 'error' } }))
  const answer = await service.webhook('acme', { event_name: 'chat_accepted' })
  assert.equal(answer, { at: 0, tookMs: 0, kind: 'answered', status: 503, body: { result: 'error' } })
  assert.equal(bridge.heard, [
    {
      path: '/webhooks/webhooks-token-of-acme',
      authorization: undefined,
      contentType: 'application/json',
      body: '{"event_name":"chat_accepted"}',
    },
  ])
})

botEvents.after.each(stopAll)
botEvents.run()
