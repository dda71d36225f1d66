import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { jsonMistake, readAccounts } from '../../src/app/accounts-file.ts'
import { left } from '../support/either.ts'

const problems = (accounts: unknown) => left(readAccounts(E.right(JSON.stringify(accounts))))

const file = suite('accounts file')

file('a bad id, a token that is used twice and unknown keys are reported in one run', () => {
  const token = 'webhooks-token-0001'
  assert.equal(
    problems({
      acounts: [],
      accounts: [
        { id: 'a/b', webhooks: { token } },
        { id: 'acme', webhooks: { token: 'webhooks-token-0002', secondToken: token, tokn: 'x' }, bot: { atempts: 3 } },
      ],
    }).map(({ path, expected }) => `${path}: ${expected}`),
    [
      'BRIDGE_CONFIG accounts.0.id: 1 to 64 of A-Z a-z 0-9 . _ -, but not . or ..',
      'BRIDGE_CONFIG accounts.1.bot.token: 16 to 255 visible characters',
      'BRIDGE_CONFIG accounts.1.bot.providerId: 1 to 64 of A-Z a-z 0-9 . _ -, but not . or ..',
      'BRIDGE_CONFIG accounts.1.bot.baseUrl: an http or https URL without query',
      'BRIDGE_CONFIG acounts: no such key',
      'BRIDGE_CONFIG accounts.1.webhooks.tokn: no such key',
      'BRIDGE_CONFIG accounts.1.bot.atempts: no such key',
      'BRIDGE_CONFIG accounts.1.webhooks.secondToken: another value than accounts.0 has',
    ],
  )
})

for (const providerId of ['.', '..', '', 'a/b'])
  file(`the provider id “${providerId}” is a mistake, because it is no segment of a path`, () => {
    const bot = { token: 'bot-token-00000001', providerId, baseUrl: 'https://bot.example.com' }
    assert.equal(problems({ accounts: [{ id: 'acme', bot }] }), [
      {
        path: 'BRIDGE_CONFIG accounts.0.bot.providerId',
        expected: '1 to 64 of A-Z a-z 0-9 . _ -, but not . or ..',
      },
    ])
  })

for (const id of ['.', '..', '', 'a/b'])
  file(`the account id “${id}” is a mistake, because it is no segment of a path`, () => {
    assert.equal(problems({ accounts: [{ id }] }), [
      { path: 'BRIDGE_CONFIG accounts.0.id', expected: '1 to 64 of A-Z a-z 0-9 . _ -, but not . or ..' },
    ])
  })

file('a token with half a surrogate pair is a mistake, because no URL can have it', () => {
  assert.equal(problems({ accounts: [{ id: 'acme', webhooks: { token: 'webhooks-token-\ud800' } }] }), [
    { path: 'BRIDGE_CONFIG accounts.0.webhooks.token', expected: '16 to 255 visible characters' },
  ])
})

file('a file without accounts is a mistake', () => {
  assert.equal(problems({ accounts: [] }), [{ path: 'BRIDGE_CONFIG accounts', expected: 'at least one account' }])
})

file('a file that is not JSON is reported with line and column, and without its text', () => {
  const text = '{\n  "accounts": [ { "id": "acme", "token": my-secret } ]\n}'
  assert.equal(left(readAccounts(E.right(text))), [
    { path: 'BRIDGE_CONFIG', expected: 'valid JSON; the syntax error is at line 2, column 42' },
  ])
})

file('grants of the console may name existing roles and accounts only', () => {
  const account = { id: 'acme' }
  const grants = [
    { group: 'support', role: 'boss', accounts: ['acme'] },
    { group: 'all', role: 'viewer', accounts: ['*', 'amce'] },
    { role: 'viewer' },
  ]
  assert.equal(
    problems({ accounts: [account], console: { grants } }).map(({ path, expected }) => `${path}: ${expected}`),
    [
      'BRIDGE_CONFIG console.grants.0.role: one of viewer, lead, operator, privacy',
      'BRIDGE_CONFIG console.grants.2.group: 1 to 255 characters',
      'BRIDGE_CONFIG console.grants.1.accounts.1: the id of an account, or *',
    ],
  )
})

const mistakes: ReadonlyArray<readonly [text: string, place: string]> = [
  ['', 'line 1, column 1'],
  ['{"a":1,}', 'line 1, column 8'],
  ['{"a":1\n"b":2}', 'line 2, column 1'],
  ['[1, 2', 'line 1, column 6'],
  ['{"a": "open}', 'line 1, column 7'],
  ["{'a': 1}", 'line 1, column 2'],
  ['{"a": 01}', 'line 1, column 8'],
  ['{} {}', 'line 1, column 4'],
  ['[true, nul]', 'line 1, column 8'],
  ['{"a": "\\x"}', 'line 1, column 7'],
]
for (const [text, place] of mistakes)
  file(`the mistake in ${text} is at ${place}`, () => {
    assert.throws(() => JSON.parse(text))
    assert.is(jsonMistake(text), place)
  })

file.run()
