import { hash } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { weakSecrets } from '../../src/app/weak-secrets.ts'
import { AccountEntry, withDefaults } from '../../src/bridge/domain/accounts.ts'
import { right } from '../support/either.ts'

const weak = suite('weak tokens')

const isWeak = (token: string) =>
  weakSecrets([withDefaults(right(AccountEntry.decode({ id: 'acme', webhooks: { token } })))]).length > 0

for (const token of [
  'aaaaaaaaaaaaaaaaaaaaaaaa',
  'abcdefghijklmnopqrstuvwxyz',
  '1234567890123456',
  '1111222233334444',
  'webhooks-token-acme',
  'at-least-16-characters',
  'AcmeWebhooksToken2026',
  'changeme-changeme-1',
  'abababababababababab',
  'password12345678',
])
  weak(`${token} is weak`, () => assert.ok(isWeak(token)))

weak('tokens without any pattern are not, in any usual form', () => {
  for (let i = 0; i < 500; i++) {
    // The same ones in each run.
    const bytes = hash('sha256', String(i), 'buffer')
    const [base64url, hex] = [bytes.subarray(0, 16).toString('base64url'), bytes.subarray(0, 16).toString('hex')]
    for (const token of [base64url, hex, bytes.subarray(0, 18).toString('base64url'), bytes.toString('base64')])
      assert.not(isWeak(token), token)
  }
})

weak('each is named by its path and account, without its value', () => {
  const [token, secretKey] = ['token-token-token-1', 'secret-secret-secret']
  const bot = {
    token,
    secondToken: `${token}1`,
    providerId: 'p',
    baseUrl: 'http://127.0.0.1:1',
    historyToken: `${token}2`,
    secondHistoryToken: `${token}3`,
    authorization: { clientId: 'c', secretKey, secondSecretKey: `${secretKey}1` },
  }
  const webhooks = { token: `${token}4`, secondToken: `${token}5` }
  const told = weakSecrets([withDefaults(right(AccountEntry.decode({ id: 'acme', webhooks, bot })))])
  assert.equal(
    told.map((text) => text.slice(0, text.indexOf(':'))),
    [
      'webhooks.token',
      'webhooks.secondToken',
      'bot.token',
      'bot.secondToken',
      'bot.historyToken',
      'bot.secondHistoryToken',
      'bot.authorization.secretKey',
      'bot.authorization.secondSecretKey',
    ].map((path) => `BRIDGE_CONFIG ${path} of account acme`),
  )
  for (const text of told) for (const secret of [token, secretKey]) assert.not.ok(text.includes(secret))
})

weak.run()
