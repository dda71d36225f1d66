import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeJournaled, encodeJournaled } from '../../../src/bridge/journal/record.ts'
import { recordOf } from './given.ts'

const record = suite('journal: a record as bytes')

record('a record for a topic that does not exist is refused', () => {
  const given = Buffer.from(encodeJournaled(recordOf(1)).toString('latin1').replace('chats', 'chaos'), 'latin1')
  assert.equal(decodeJournaled(given), E.left('unknown topic'))
})

record('a record that was cut short is refused', () => {
  const given = encodeJournaled(recordOf(1))
  assert.equal(decodeJournaled(given.subarray(0, given.length - 1)), E.left('unreadable record'))
})

record.run()
