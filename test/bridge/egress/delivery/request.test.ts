import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BotRequest } from '../../../../contracts/bot-api/outbound.ts'
import type { ReplyMessage } from '../../../../contracts/commands/bot-reply.ts'
import type { Instant } from '../../../../contracts/primitives.ts'
import { botRequest, createRequest } from '../../../../src/bridge/egress/delivery/post.ts'
import { botReplies, instants } from '../support/arbitraries.ts'
import { account, accountId, id, inviteAgent } from '../support/values.ts'

const test = suite('the request for a command')

const noon = '2026-01-31T12:00:00.999Z' as Instant
const reply = (message: ReplyMessage) =>
  botRequest({ type: 'BotMessage', id: id('c1'), accountId, chatId: id('2037'), clientId: id('1233'), message }, noon)
const exchange = { event: 'BOT_MESSAGE', id: 'c1', client_id: '1233', chat_id: '2037' }

test('the time of the message itself, in seconds', () => {
  assert.equal(reply({ type: 'TEXT', text: 'Hello', timestamp: '2022-10-10T15:31:19.500Z' as Instant }), {
    ...exchange,
    message: { type: 'TEXT', text: 'Hello', timestamp: 1665415879 },
  })
})

test('BUTTONS get their title as plain text, and keep force_reply', () => {
  const buttons = [{ text: 'Yes', id: id('1') }]
  assert.equal(reply({ type: 'BUTTONS', title: 'Sure?', text: null, buttons, force_reply: true }), {
    ...exchange,
    message: { type: 'BUTTONS', title: 'Sure?', text: 'Sure?', buttons, timestamp: 1769860800, force_reply: true },
  })
})

test('a given plain text is kept', () => {
  const { message } = reply({ type: 'MARKDOWN', content: '*Hi*', text: 'Hi!' }) as { message: { text: string } }
  assert.is(message.text, 'Hi!')
})

test('any command gives a request of the protocol', () => {
  fc.assert(
    fc.property(botReplies, instants, (command, requestedAt) => {
      const { body } = createRequest(account().bot, botRequest(command, requestedAt), undefined)
      const decoded = BotRequest.decode(JSON.parse(body))
      assert.ok(E.isRight(decoded))
      assert.equal(
        [decoded.right.id, decoded.right.client_id, decoded.right.chat_id],
        [command.id, command.clientId, command.chatId],
      )
    }),
  )
})

test('without authorization the path is /webhooks, with authorization /providers with the token unchanged', () => {
  const body = botRequest(inviteAgent('i1'), noon)
  assert.equal(createRequest(account().bot, body, undefined), {
    url: 'https://bot.example.com/webhooks/prov1/bot-token-0123456789',
    headers: { 'content-type': 'application/json' },
    body: '{"event":"INVITE_AGENT","id":"i1","client_id":"1233","chat_id":"2037"}',
  })
  assert.equal(createRequest(account().bot, body, 'access-token'), {
    url: 'https://bot.example.com/providers/prov1/bot-token-0123456789',
    headers: { 'content-type': 'application/json', authorization: 'access-token' },
    body: '{"event":"INVITE_AGENT","id":"i1","client_id":"1233","chat_id":"2037"}',
  })
})

test('a base URL keeps its path, and parts of the path are escaped', () => {
  const { bot } = account({ baseUrl: 'https://bot.example.com/api/', token: 'a/b?c#d%e-0123456789' })
  assert.is(
    createRequest(bot, botRequest(inviteAgent('i1'), noon), undefined).url,
    'https://bot.example.com/api/webhooks/prov1/a%2Fb%3Fc%23d%25e-0123456789',
  )
})

test.run()
