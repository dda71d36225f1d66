import { randomBytes } from 'node:crypto'
import { FlattenedEncrypt, flattenedDecrypt } from 'jose'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ArchivedEvent } from '../../../contracts/archive.ts'
import { seal } from '../../../src/bridge/archive/seal.ts'
import { right } from '../../support/either.ts'

const sealing = suite('encryption for the archive')
const sealingKey = { kid: 'k1', key: new Uint8Array(randomBytes(32)), erased: undefined }
const said = JSON.stringify({ accountId: 'acme', message: { type: 'TEXT', text: 'Ann here äöü 😀' } })

const sealed = (value: string, isEvent = true) => {
  const place = { topic: 'bot-conversations', partition: 2, offset: 7, timestamp: 0 } as const
  const headers = { ce_id: Buffer.from('a'), ce_type: Buffer.from('livechat.ClientMessageReceived.v1') }
  const record = { ...place, key: Buffer.from('acme/2037'), value: Buffer.from(value), headers }
  const { personal } = right(ArchivedEvent.decode(JSON.parse(`${seal(record, 'g1', isEvent, sealingKey).value}`)))
  if (personal === undefined) throw new Error('nothing is encrypted')
  return personal
}
type Sealed = ReturnType<typeof sealed>
const opened = async (parts: Sealed) => `${Buffer.from((await flattenedDecrypt(parts, sealingKey.key)).plaintext)}`

sealing('gives the same parts as jose for the same key, initialization vector and text', async () => {
  for (const [isEvent, cty, text] of [
    [true, 'json', JSON.stringify({ accountId: null, message: { type: null, text: 'Ann here äöü 😀' } })],
    [false, 'bytes', said],
  ] as const) {
    const parts = sealed(said, isEvent)
    const bySame = await new FlattenedEncrypt(Buffer.from(text))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: 'k1', cty })
      .setAdditionalAuthenticatedData(
        Buffer.from('["bot-conversations","g1",2,7,"a","livechat.ClientMessageReceived.v1"]'),
      )
      .setInitializationVector(Buffer.from(parts.iv, 'base64url'))
      .encrypt(sealingKey.key)
    assert.equal(parts, bySame)
    assert.is(await opened(parts), text)
  }
})

sealing('jose cannot decrypt it if any part is changed', async () => {
  const [parts, other] = [sealed(said), sealed(said, false)]
  const refusals = await Promise.all(
    (['protected', 'aad', 'iv', 'ciphertext', 'tag'] as const).map(async (part) => {
      const changed = part === 'aad' ? `A${parts.aad.slice(1)}` : other[part]
      return opened({ ...parts, [part]: changed }).catch(({ code }: { readonly code: string }) => code)
    }),
  )
  assert.equal(refusals, Array(5).fill('ERR_JWE_DECRYPTION_FAILED'))
})

sealing('uses a new initialization vector each time', () => {
  assert.is(new Set(Array.from({ length: 1_000 }, () => sealed(said).iv)).size, 1_000)
})

sealing('what no record would have room for once it is encrypted is compressed before', async () => {
  const large = JSON.stringify({ ...JSON.parse(said), extra: { note: 'x'.repeat(17 * 1024 * 1024) } })
  const parts = sealed(large)
  assert.ok(JSON.stringify(parts).length < 1024 * 1024)
  const { plaintext } = await flattenedDecrypt(parts, sealingKey.key, { maxDecompressedLength: 64 * 1024 * 1024 })
  assert.is(JSON.parse(`${Buffer.from(plaintext)}`).extra.note.length, 17 * 1024 * 1024)
})

sealing('works for an empty value', async () => {
  assert.is(await opened(sealed('', false)), '')
})

sealing.run()
