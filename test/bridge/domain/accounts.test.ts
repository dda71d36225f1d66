import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readAccounts } from '../../../src/app/accounts-file.ts'
import { unknownAccount } from '../../../src/bridge/domain/accounts.ts'

const test = suite('accounts')

const bot = { token: 'bot-token-00000001', providerId: 'prov1', baseUrl: 'https://bot.example.com' }
const read = (settings: object) =>
  readAccounts(E.right(JSON.stringify({ accounts: [{ id: 'acme', bot: { ...bot, ...settings } }] })))

test('a bot has default limits, and no optional settings', () => {
  const defaults = { replyWithin: 10_000, attempts: 8, timeouts: 2, deadlineMs: 300_000 }
  assert.equal(
    read({}),
    E.right([{ id: 'acme', requestsPerSecond: 20_000, timeZone: 'UTC', bot: { ...defaults, ...bot } }]),
  )
})

test('the settings of a bot are used unchanged', () => {
  const settings = {
    replyWithin: 100,
    attempts: 1,
    deadlineMs: 1000,
    whenOvertaken: 'suppress',
    agentUnavailableText: 'Call us.',
    requestsPerSecond: 5,
  }
  const asked = { ...bot, ...settings, timeouts: 1 }
  assert.equal(read(settings), E.right([{ id: 'acme', requestsPerSecond: 20_000, timeZone: 'UTC', bot: asked }]))
})

test('an invalid setting is named with its allowed values', () => {
  const wrong = { whenOvertaken: 'drop', agentUnavailableText: ' ', requestsPerSecond: 0, replyWithin: 99 }
  const problem = (field: string, expected: string) => ({ path: `BRIDGE_CONFIG accounts.0.bot.${field}`, expected })
  assert.equal(
    read(wrong),
    E.left([
      problem('replyWithin', 'a whole number from 100 to 3600000'),
      problem('whenOvertaken', 'send or suppress'),
      problem('agentUnavailableText', '1 to 4096 characters'),
      problem('requestsPerSecond', 'a whole number from 1 to 100000'),
    ]),
  )
})

test('while a token or a secret is replaced, an account has two of them', () => {
  const authorization = { clientId: 'acme', secretKey: 'secret-key-of-acme', secondSecretKey: 'secret-key-to-come' }
  const accounts = [
    {
      id: 'acme',
      webhooks: { token: 'webhooks-token-old', secondToken: 'webhooks-token-new' },
      bot: { ...bot, secondToken: 'bot-token-00000002', authorization },
    },
  ]
  const defaults = { replyWithin: 10_000, attempts: 8, timeouts: 2, deadlineMs: 300_000 }
  assert.equal(
    readAccounts(E.right(JSON.stringify({ accounts }))),
    E.right(
      accounts.map((account) => ({
        ...account,
        requestsPerSecond: 20_000,
        timeZone: 'UTC',
        bot: { ...defaults, ...account.bot },
      })),
    ),
  )
})

test('an account may set after how many whole days persons are erased', () => {
  const read = (privacy: object) => readAccounts(E.right(JSON.stringify({ accounts: [{ id: 'acme', privacy }] })))
  assert.equal(
    read({ retainDays: 365 }),
    E.right([{ id: 'acme', requestsPerSecond: 20_000, timeZone: 'UTC', retainDays: 365 }]),
  )
  const [path, expected] = ['BRIDGE_CONFIG accounts.0.privacy.retainDays', 'a whole number from 1 to 36500']
  assert.equal(read({ retainDays: 0 }), E.left([{ path, expected }]))
})

test('a token may occur once only, as the first or second token of one account', () => {
  const [a, b, c] = ['webhooks-token-aaa', 'webhooks-token-bbb', 'webhooks-token-ccc']
  const accounts = [
    { id: 'acme', webhooks: { token: a, secondToken: a } },
    { id: 'globex', webhooks: { token: b, secondToken: c } },
    { id: 'initech', webhooks: { token: c } },
  ]
  const problem = (path: string, first: number) => ({
    path: `BRIDGE_CONFIG accounts.${path}`,
    expected: `another value than accounts.${first} has`,
  })
  assert.equal(
    readAccounts(E.right(JSON.stringify({ accounts }))),
    E.left([problem('0.webhooks.secondToken', 0), problem('2.webhooks.token', 1)]),
  )
})

test('days are in a time zone of the IANA database, by default UTC', () => {
  const zoned = (timeZone: string) => readAccounts(E.right(JSON.stringify({ accounts: [{ id: 'acme', timeZone }] })))
  assert.equal(zoned('europe/berlin'), E.right([{ id: 'acme', requestsPerSecond: 20_000, timeZone: 'Europe/Berlin' }]))
  const expected = 'a time zone of the IANA database, such as Europe/Berlin'
  for (const wrong of ['Mars/Olympus', '+02:00', ''])
    assert.equal(zoned(wrong), E.left([{ path: 'BRIDGE_CONFIG accounts.0.timeZone', expected }]))
})

const known = ['demo', 'acme-eu', 'acme-us']
for (const [given, said] of [
  ['demo', undefined],
  ['demoo', 'No account has the id demoo. Did you mean demo?'],
  ['Demo', 'No account has the id Demo. Did you mean demo?'],
  ['acme-su', 'No account has the id acme-su. Did you mean acme-eu?'],
  ['acme_us', 'No account has the id acme_us. Did you mean acme-us?'],
  ['other', 'No account has the id other.'],
  ['', 'No account has the id .'],
] as const)
  test(`an id is compared with those of the accounts file: ${given}`, () =>
    assert.is(unknownAccount(known, given), said))

test('without accounts nothing else was meant', () =>
  assert.is(unknownAccount([], 'demo'), 'No account has the id demo.'))

test.run()
