import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { dataKeys } from '../../../src/bridge/archive/data-keys.ts'
import { newKeyFile, readKeys } from '../../../src/bridge/archive/key-file.ts'
import { right } from '../../support/either.ts'
import { memoryKeys } from './memory-keys.ts'

const place = { topicId: 'g1', partition: 0, offset: 0 }

/** A cache that has the key of chat 1, and the wanted keys of chats 1, 2 and 3. MongoDB has no key of chat 3. */
const given = async (duringFind: () => void = () => {}) => {
  const stored = memoryKeys()
  const find: typeof stored.find = async (ids) => {
    duringFind()
    return stored.find(ids)
  }
  const keys = dataKeys({ ...stored, find }, right(readKeys(newKeyFile('first'))))
  await keys.forSealing(['chats/acme/1', 'chats/acme/2'])
  const wantedOf = (id: string) => ({ id, kid: stored.documents.get(id)?.kid ?? 'none', place })
  const wanted = ['chats/acme/1', 'chats/acme/2', 'chats/acme/3'].map(wantedOf)
  await keys.forOpening(wanted.slice(0, 1))
  return { keys, stored, wanted }
}

const kindsOf = (found: ReadonlyMap<unknown, CryptoKey | string>) =>
  [...found.values()].map((key) => (typeof key === 'string' ? key : 'key'))

test('a cached key is used although it leaves the cache while other keys are read', async () => {
  const during = { find: () => {} }
  const { keys, wanted } = await given(() => during.find())
  during.find = () => keys.forget()
  assert.equal(kindsOf(await keys.forOpening(wanted)), ['key', 'key', 'lost'])
})

test('a destroyed key is erased, for a record that nobody has read before', async () => {
  const { keys, stored, wanted } = await given()
  await stored.destroy('chats/acme/2', { ...place, offset: 1 })
  assert.equal(kindsOf(await keys.forOpening(wanted)), ['key', 'erased', 'lost'])
})

test('records of one key, read together, have the same key', async () => {
  const { keys, wanted } = await given()
  const found = await keys.forOpening(wanted.slice(1, 2).flatMap((each) => [each, { ...each }]))
  assert.is(new Set(found.values()).size, 1)
  assert.is(found.size, 2)
})

test.run()
