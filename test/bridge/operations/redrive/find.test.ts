import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Instant } from '../../../../contracts/primitives.ts'
import type { IncomingRecord } from '../../../../src/bridge/domain/log/record.ts'
import { type ErasedAt, nameOfErased } from '../../../../src/bridge/domain/person/erased.ts'
import { unresolvedIn } from '../../../../src/bridge/operations/redrive/chains.ts'
import { findDeadLetters, findRequests } from '../../../../src/bridge/operations/redrive/find.ts'
import { right } from '../../../support/either.ts'
import { letterOf, topicOf } from './given-letters.ts'

const at = (hour: number) => new Date(Date.UTC(2026, 0, 31, hour)).toISOString() as Instant
const letterAt = (offset: number, key: string, topic: 'chats' | 'calls', cause: string): IncomingRecord => {
  const value = Buffer.from('{}')
  const record = { topic, partition: 0, offset: 100 + offset, timestamp: 0, key: Buffer.from(key), value, headers: {} }
  const letter = letterOf(record, at(offset))
  return { ...letter, partition: 0, offset, headers: { ...letter.headers, dl_cause: Buffer.from(cause) } }
}
const letters = [
  letterAt(0, 'acme/1', 'chats', 'contract'),
  letterAt(1, 'other/1', 'chats', 'contract'),
  letterAt(2, 'acme/2', 'chats', 'contract'),
  letterAt(3, 'acme', 'calls', 'unstorable'),
  { ...letterAt(4, 'acme/1', 'chats', 'contract'), headers: {} },
]
const requests = ['invalid', 'unknown-event'].map((reason, offset): IncomingRecord => {
  const headers = { id: `q${offset}`, interface: 'bot', received_at: at(offset), reason, problems: 'id: expected text' }
  return {
    topic: 'quarantine',
    partition: 0,
    offset,
    timestamp: 0,
    key: Buffer.from('acme'),
    value: Buffer.from('12'),
    headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, Buffer.from(text)])),
  }
})

const portsOf = (records: ReadonlyArray<IncomingRecord>) => {
  const find = async (ids: ReadonlyArray<string>) => new Map(ids.slice(0, 1).map((id) => [id, [at(9)]]))
  return { readTopic: topicOf(records), redrives: { find, erasedAt: async (): ReturnType<ErasedAt> => new Map() } }
}
const extent = { limit: 10, signal: new AbortController().signal }

const finding = suite('the search for dead letters and quarantined requests')

finding('groups have all causes and topics of the account, letters only the requested ones', async () => {
  const found = await findDeadLetters(portsOf(letters), { account: 'acme', cause: 'contract' }, extent)

  const { groups, letters: told, others, ...rest } = right(found)
  assert.equal(
    others.map(({ id, sentAt }) => [id, sentAt]),
    [['0/3', []]],
  )
  assert.equal(groups, [
    { topic: 'chats', cause: 'contract', count: 2, firstAt: at(0), lastAt: at(2) },
    { topic: 'calls', cause: 'unstorable', count: 1, firstAt: at(3), lastAt: at(3) },
  ])
  assert.equal(
    told.map(({ id, account, bytes, sentAt }) => [id, account, bytes, sentAt]),
    [
      ['0/0', 'acme', 2, [at(9)]],
      ['0/2', 'acme', 2, []],
    ],
  )
  assert.equal(rest, { count: 2, unreadable: 1, isCut: false })
})

finding('only the newest records of a partition are read on request, and the result says so', async () => {
  const { letters: told, isCut } = right(await findDeadLetters(portsOf(letters), {}, { ...extent, newestOf: 2 }))
  assert.equal([told.map(({ id }) => id), isCut], [['0/3'], true])
})

finding('it is unknown which letters were sent back while MongoDB is unavailable', async () => {
  const never = () => Promise.reject(new Error('away'))
  const away = { ...portsOf(letters), redrives: { find: never, erasedAt: never } }
  const { letters: told } = right(await findDeadLetters(away, { id: ['0/3'] }, extent))
  assert.equal(
    told.map(({ id, sentAt }) => [id, sentAt]),
    [['0/3', undefined]],
  )
})

finding(
  'a letter whose person was erased after it is marked, and needs nobody; one from after the erasure does',
  async () => {
    const { readTopic, redrives } = portsOf(letters)
    const countAt = async (erased: string) => {
      const erasedAt: ErasedAt = async (keys) => new Map(keys.map((key) => [nameOfErased(key), new Date(erased)]))
      const found = right(await findDeadLetters({ readTopic, redrives: { ...redrives, erasedAt } }, {}, extent))
      return [found.letters.filter(({ erased }) => erased).length, unresolvedIn(found)]
    }
    const { length } = right(await findDeadLetters({ readTopic, redrives }, {}, extent)).letters
    assert.equal(
      [await countAt('2026-12-31T00:00:00Z'), await countAt('1960-01-01T00:00:00Z')],
      [
        [length, 0],
        [0, length - 1],
      ],
    )
  },
)

finding('a quarantined request is listed with its reason, and when it was redriven', async () => {
  const { groups, letters: told } = right(await findRequests(portsOf(requests), { reason: 'invalid' }, extent))
  assert.equal(
    groups.map(({ topic, cause, count }) => [topic, cause, count]),
    [
      ['quarantine', 'invalid', 1],
      ['quarantine', 'unknown-event', 1],
    ],
  )
  assert.equal(told, [
    {
      id: '0/0',
      account: 'acme',
      interface: 'bot',
      receivedAt: at(0),
      reason: 'invalid',
      bytes: 2,
      problems: 'id: expected text',
      memoryId: 'quarantine/q0',
      sentAt: [at(9)],
    },
  ])
})

finding.run()
