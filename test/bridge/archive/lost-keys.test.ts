import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { archiveAgain } from '../../../src/bridge/archive/lost-keys.ts'
import type { IncomingRecord } from '../../../src/bridge/domain/log/record.ts'

const test = suite('what is to be archived again')

const slice = (partition: number, offset: number) => ({
  topic: 'chats' as const,
  partition,
  records: [{ offset } as IncomingRecord],
})
const committed = new Map([
  [0, 9],
  [1, 4],
])
const given = () => {
  const again = archiveAgain()
  again.begin(new Map([['chats', new Map([[0, { from: 3, to: 7 }]])]]))
  return again
}

test('nothing can be read before it is known', () => {
  const again = archiveAgain()
  assert.is(again.isKnown(), false)
  assert.equal(again.readableTo('chats', committed), new Map())
})

test('a partition can be read up to its first lost copy, the others up to what is committed', () => {
  const again = given()
  assert.is(again.isKnown(), true)
  assert.equal([again.from('chats', 0), again.from('chats', 1), again.from('calls', 0)], [3, undefined, undefined])
  assert.equal(
    [...again.readableTo('chats', committed)],
    [
      [0, 3],
      [1, 4],
    ],
  )
})

test('what is archived again can be read, and the whole partition when all is', () => {
  const again = given()
  again.archived(slice(1, 6))
  again.archived(slice(0, 4))
  assert.is(again.from('chats', 0), 5)
  again.archived(slice(0, 2))
  assert.is(again.from('chats', 0), 5)
  again.archived(slice(0, 6))
  assert.equal([...again.readableTo('chats', committed)], [...committed])
})

test.run()
