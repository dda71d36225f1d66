import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Instant } from '../../../../contracts/primitives.ts'
import type { IncomingRecord } from '../../../../src/bridge/domain/log/record.ts'
import { toRedriven } from '../../../../src/bridge/kafka/dead-letters.ts'
import { isErasedAt, memoryIdOf, readDeadLetter } from '../../../../src/bridge/operations/redrive/dead-letters.ts'
import { right } from '../../../support/either.ts'
import { asRead, instant, letterOf, records } from './given-letters.ts'

const noon = '2026-01-31T12:00:00.000Z' as Instant
const later = '2026-02-01T12:00:00.000Z' as Instant
const afterwards = '2026-02-02T12:00:00.000Z' as Instant
const poison: IncomingRecord = {
  topic: 'chats',
  partition: 3,
  offset: 42,
  timestamp: 0,
  key: Buffer.from('acme/1'),
  value: null,
  headers: { ce_id: Buffer.from('e1') },
}
const without = (record: IncomingRecord) => Object.entries(record.headers).filter(([name]) => !name.startsWith('dl_'))

const deadLetter = suite('dead letters')

deadLetter('a dead letter of a consumer has its original place, its consumer, the reason and the time', () => {
  assert.equal(
    readDeadLetter(letterOf(poison, noon)),
    E.right({
      id: '1/7',
      account: 'acme',
      key: 'acme/1',
      bytes: 0,
      origin: { topic: 'chats', partition: 3, offset: 42 },
      consumer: 'projector',
      cause: 'contract',
      detail: 'id: expected text',
      failedAt: noon,
      firstFailedAt: noon,
      appendedAt: '1970-01-01T00:00:00.000Z',
      redriven: 0,
    }),
  )
})

deadLetter('a dead letter of a record without a key has no account', () => {
  const { account, key } = right(readDeadLetter({ ...letterOf(poison, noon), key: null }))
  assert.equal([account, key], ['', ''])
})

for (const [name, firstFailedAt, appendedAt, isErased] of [
  ['that failed before it', noon, noon, true],
  ['that failed before it and was redriven since', noon, afterwards, true],
  ['of the same moment', later, later, false],
  ['that came after it', afterwards, afterwards, false],
] as const)
  deadLetter(`an erasure ${isErased ? 'covers' : 'does not cover'} a record ${name}`, () => {
    assert.is(isErasedAt({ firstFailedAt, appendedAt }, new Date(later)), isErased)
    assert.is(isErasedAt({ firstFailedAt, appendedAt }, undefined), false)
  })

deadLetter('a record that is not a dead letter, or is from an unknown topic, is refused with the reason', () => {
  const given = letterOf(poison, noon)
  const withTopic = (topic: string) => ({ ...given, headers: { ...given.headers, dl_topic: Buffer.from(topic) } })
  assert.equal([readDeadLetter(withTopic('dead-letters')), readDeadLetter(withTopic('elsewhere'))].map(E.isLeft), [
    true,
    true,
  ])
  assert.ok(E.isLeft(readDeadLetter(poison)))
})

deadLetter('a redriven record is the original byte for byte, with any headers of its producer', () => {
  fc.assert(
    fc.property(records, instant, fc.integer({ min: 1, max: 9 }), (record, failedAt, redriven) => {
      const read = letterOf(record, failedAt)
      const { origin, firstFailedAt } = right(readDeadLetter(read))
      const back = asRead(toRedriven(read, { topic: origin.topic, redriven, firstFailedAt }))

      assert.equal([back.topic, back.key, back.value], [record.topic, record.key, record.value])
      assert.equal(without(back), without(record))
    }),
  )
})

deadLetter('a record that fails repeatedly counts its failures, and keeps the time of the first', () => {
  const first = letterOf(poison, noon)
  const again = (given: IncomingRecord, redriven: number) => {
    const { origin, firstFailedAt } = right(readDeadLetter(given))
    return letterOf(asRead(toRedriven(given, { topic: origin.topic, redriven, firstFailedAt })), later)
  }
  const { failedAt, firstFailedAt, redriven } = right(readDeadLetter(again(again(first, 1), 2)))

  assert.equal([failedAt, firstFailedAt, redriven], [later, noon, 2])
})

deadLetter('an invalid count or first time of a producer is ignored', () => {
  const invented = (dl_redriven: string, dl_first_failed_at: string) => {
    const headers = { dl_redriven: Buffer.from(dl_redriven), dl_first_failed_at: Buffer.from(dl_first_failed_at) }
    const { firstFailedAt, redriven } = right(readDeadLetter(letterOf({ ...poison, headers }, noon)))
    return [redriven, firstFailedAt]
  }
  assert.equal(
    [invented('-1', 'yesterday'), invented('1e9', later), invented('99999999999999999999', '')],
    [
      [0, noon],
      [0, noon],
      [0, noon],
    ],
  )
})

deadLetter('the copies of a failure have one id; a failure of another record or consumer has another', () => {
  const idOf = (record: IncomingRecord) => memoryIdOf(right(readDeadLetter(record)))
  const one = letterOf(poison, noon)
  const same = idOf(one)
  assert.is(idOf({ ...letterOf(poison, later), offset: 8 }), same)
  const others = [
    letterOf({ ...poison, offset: poison.offset + 1 }, noon),
    letterOf({ ...poison, partition: poison.partition + 1 }, noon),
    letterOf({ ...poison, topic: 'calls' }, noon),
    // Its topic was created again.
    letterOf({ ...poison, timestamp: poison.timestamp + 1 }, noon),
    { ...one, headers: { ...one.headers, dl_consumer: Buffer.from('egress') } },
  ]
  assert.is(new Set([same, ...others.map(idOf)]).size, 6)
})

deadLetter(
  'what Kafka refused from the journal at the same moment was on no topic, so each letter has its own id',
  () => {
    const refused = { ...poison, partition: 0, offset: 0 }
    const idOf = (place: number) => {
      const letter = letterOf(refused, noon)
      const headers = { ...letter.headers, dl_consumer: Buffer.from('journal') }
      return memoryIdOf(right(readDeadLetter({ ...letter, headers, offset: place })))
    }
    assert.is.not(idOf(7), idOf(8))
  },
)

deadLetter.run()
