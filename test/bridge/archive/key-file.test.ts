import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { newKeyFile, openKeyFile, readKeys, wrappingKidOf } from '../../../src/bridge/archive/key-file.ts'
import { right } from '../../support/either.ts'

const keyFile = suite('the key file of the archive')
const folder = mkdtempSync(join(tmpdir(), 'livechat-keys-'))
keyFile.after(() => rmSync(folder, { recursive: true }))

const keysIn = (text: string) => JSON.parse(text).keys
const bytes = new Uint8Array(32).fill(7)

keyFile('is created if that is allowed, is readable by its owner only, and is reused later', async () => {
  const path = join(folder, 'made.json')
  const wrapped = await right(openKeyFile(path, true)).wrap(bytes)
  assert.is(statSync(path).mode & 0o777, 0o600)
  const text = readFileSync(path, 'utf8')
  assert.equal([...(await right(openKeyFile(path, true)).unwrap(wrapped))], [...bytes])
  assert.is(readFileSync(path, 'utf8'), text)
})

keyFile('is an error if it does not exist and may not be created', () => {
  assert.equal(
    openKeyFile(join(folder, 'none.json'), false),
    E.left(`ARCHIVE_KEY_FILE: ${join(folder, 'none.json')} cannot be read (ENOENT)`),
  )
})

keyFile('is an error if it cannot be made', () => {
  const file = join(folder, 'a-file')
  writeFileSync(file, '')
  const path = join(file, 'keys.json')
  assert.equal(openKeyFile(path, true), E.left(`ARCHIVE_KEY_FILE: ${path} cannot be made or read (ENOTDIR)`))
})

keyFile('the first of several keys wraps, and all keys unwrap', async () => {
  const [old, fresh] = [newKeyFile('old'), newKeyFile('fresh')]
  const both = right(readKeys(JSON.stringify({ keys: [...keysIn(fresh), ...keysIn(old)] })))
  const [byOld, byBoth] = [await right(readKeys(old)).wrap(bytes), await both.wrap(bytes)]
  assert.equal([wrappingKidOf(byOld), wrappingKidOf(byBoth)], ['old', 'fresh'])
  assert.equal([...(await both.unwrap(byOld))], [...bytes])
  assert.equal([...(await both.unwrap(byBoth))], [...bytes])
})

keyFile('a data key with an unknown wrapping key cannot be unwrapped; the error names the wrapping key', async () => {
  const wrapped = await right(readKeys(newKeyFile('other'))).wrap(bytes)
  const unwrapped = await right(readKeys(newKeyFile('mine')))
    .unwrap(wrapped)
    .catch((error: Error) => error.message)
  assert.is(unwrapped, 'ARCHIVE_KEY_FILE has no key other, which has wrapped data keys')
})

for (const [what, text] of [
  ['no JSON', '{'],
  ['no keys', '{"keys":[]}'],
  ['a short key', '{"keys":[{"kty":"oct","kid":"a","k":"c2hvcnQ"}]}'],
  ['an RSA key', '{"keys":[{"kty":"RSA","kid":"a","n":"AQAB","e":"AQAB"}]}'],
] as const)
  keyFile(`${what}: its mistake is reported without its content`, () => {
    const path = join(folder, 'wrong.json')
    writeFileSync(path, text)
    const read = openKeyFile(path, false)
    assert.ok(E.isLeft(read))
    assert.match(read.left, /^ARCHIVE_KEY_FILE: .*wrong\.json is /)
    assert.not.match(read.left, /c2hvcnQ|AQAB/)
  })

keyFile.run()
