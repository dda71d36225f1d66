import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import { AccountId, type Instant } from '../../../contracts/primitives.ts'
import { DriftDocument, maxDriftSeen } from '../../../contracts/views/drift.ts'
import type { QuarantinedRequest } from '../../../src/bridge/domain/quarantined.ts'
import { driftOfEvent, driftOfRequest } from '../../../src/bridge/views/drift.ts'
import { right } from '../../support/either.ts'
import { anEvent, at, date, inLog } from '../../support/given-events.ts'

const drift = suite('drift')

const accountId = right(AccountId.decode('acme'))
const request = (id: string, receivedAt: string, status = 'paused'): QuarantinedRequest => ({
  type: 'QuarantinedRequest',
  id,
  accountId,
  api: 'webhooks',
  receivedAt: receivedAt as Instant,
  reason: 'invalid',
  problems: 'call.status: expected "start" or "end"',
  body: Buffer.from(JSON.stringify({ event_name: 'call_event', call: { status } })),
})
type Changes = ReturnType<typeof driftOfEvent>
const fold = (changes: Changes) => {
  const documents = new Map<string, DriftDocument>()
  for (const { id, evolve } of changes)
    for (const document of evolve(documents.get(id))) documents.set(id, document as DriftDocument)
  return [...documents.values()]
}
const inQuarantine = (...requests: ReadonlyArray<QuarantinedRequest>) =>
  requests.flatMap((each, offset) => driftOfRequest(each, { topic: 'quarantine', partition: 2, offset }))

drift('has for each place its count, value types, times, and the pattern of the first value', () => {
  const log = inLog(
    anEvent('ChatAccepted', 'e1', at('10:00:00'), { extra: { visitor: { level: null } } }),
    anEvent('ChatAccepted', 'e2', at('09:00:00'), { extra: { visitor: { level: 'Gold' } } }),
    anEvent('ChatAccepted', 'e3', at('11:00:00'), { extra: { visitor: { level: 'Iron 3' } } }),
  )
  const documents = fold(log.flatMap(driftOfEvent))
  assert.equal(documents, [
    {
      _id: 'acme/unknown-field/webhooks/chat_accepted/visitor.level',
      accountId,
      kind: 'unknown-field',
      api: 'webhooks',
      event: 'chat_accepted',
      path: 'visitor.level',
      count: 3,
      types: ['null', 'text'],
      firstAt: date('09:00:00'),
      lastAt: date('11:00:00'),
      example: 'text of 4: Aaaa',
      applied: { 'chats/0': 2 },
    },
  ])
})

drift('has no known fields, and no events of the bridge itself', () => {
  const log = inLog<DomainEvent>(
    anEvent('ChatAccepted', 'e1', at('10:00:00')),
    anEvent('BotReplyDelivered', 'e2', at('10:00:00')),
    anEvent('ClientErased', 'e3', at('10:00:00')),
  )
  assert.equal(log.flatMap(driftOfEvent), [])
})

drift('has the refused requests, each once', () => {
  const again = request('r1', at('10:00:00'))
  const [document] = fold(inQuarantine(again, request('r2', at('10:01:00')), again))
  assert.equal([document?.kind, document?.count, document?.applied], ['refused', 2, { 'quarantine/2': 2 }])
  assert.equal([document?.expected, document?.example], ['"start" or "end"', 'text of 6: aaaaaa'])
})

drift('remembers the newest requests, in limited space', () => {
  const all = Array.from({ length: 3 * maxDriftSeen }, (_, i) => request(`r${i}`, at('10:00:00')))
  const [document] = fold(inQuarantine(...all))
  assert.is(document?.seen?.length, 11 * maxDriftSeen)
  assert.is(document?.count, all.length)
})

const requests = fc.array(
  fc.record({
    minute: fc.integer({ min: 10, max: 12 }),
    partition: fc.nat(2),
    extra: fc.dictionary(
      fc.constantFrom('level', 'site_id', '2037'),
      fc.constantFrom(null, 1, 'Gold', 'x', { a: true }),
    ),
  }),
)

drift('is the same for any order and repetition of partitions, and matches its contract', () => {
  fc.assert(
    fc.property(requests, fc.array(fc.nat(2)), (given, turns) => {
      const log = given.map(({ minute, partition, extra }, i) => {
        const [recorded] = inLog(anEvent('ChatUpdated', `e${i}`, at(`10:${minute}:00`), { extra }))
        assert.ok(recorded)
        return { ...recorded, partition, offset: i }
      })
      const plain = fold(log.flatMap(driftOfEvent))
      const byPartition = [0, 1, 2].map((partition) => log.filter((each) => each.partition === partition))
      const first = turns.flatMap((partition) => byPartition[partition]?.shift() ?? [])
      const mixed = [...first, ...byPartition.flat(), ...first]
      const byId = (documents: ReadonlyArray<DriftDocument>) =>
        Object.fromEntries(documents.map((document) => [document._id, document]))
      assert.equal(byId(fold(mixed.flatMap(driftOfEvent))), byId(plain))
      for (const document of plain) assert.ok(DriftDocument.is(document))
    }),
    { numRuns: 300 },
  )
})

drift.run()
