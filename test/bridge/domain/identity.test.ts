import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { accountIdIn } from '../../../src/bridge/domain/identity.ts'

const keys = [
  ['acme/CHAT-1', 'acme'],
  ['acme/CHAT/1', 'acme'],
  ['acme/', 'acme'],
  ['/CHAT-1', ''],
  ['acme', ''],
  ['', ''],
] as const

for (const [key, accountId] of keys)
  test(`the account id in the key '${key}' is '${accountId}'`, () => {
    assert.is(accountIdIn(key), accountId)
  })

test.run()
