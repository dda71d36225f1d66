import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { contentHashes } from '../../../src/bridge/domain/content-hash.ts'
import { accounts } from '../ingress/harness.ts'

const [acme, , slow] = accounts
const hash = contentHashes(accounts)
const hashes = suite('content hash')

hashes('equal bodies of an account have equal hashes, and different bodies have different ones', () => {
  assert.ok(acme && slow)
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array(), fc.constantFrom(acme, slow), (one, other, account) => {
      const same = Buffer.compare(one, other) === 0 && account === acme
      assert.is(hash(acme, one) === hash(account, other), same)
    }),
  )
})

hashes('a hash is 43 characters of base64url and depends on the webhooks token', () => {
  assert.ok(acme)
  const body = Buffer.from('{}')
  assert.match(hash(acme, body), /^[\w-]{43}$/)
  const renewed = { ...acme, webhooks: { token: 'another-webhooks-token' } }
  assert.is.not(contentHashes([renewed])(renewed, body), hash(acme, body))
})

hashes.run()
