import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ConversationEvent } from '../../../../contracts/events/index.ts'
import type { AccountId, Instant } from '../../../../contracts/primitives.ts'
import { outcomeEvent, refusedEvent } from '../../../../src/bridge/egress/delivery/outcome.ts'
import { botReplies, instants, outcomes } from '../support/arbitraries.ts'
import { botMessage } from '../support/values.ts'

const test = suite('outcomes as events')

const noon = '2026-01-31T12:00:00.000Z' as Instant

test('any command and outcome give an event of the contract, equal to its JSON', () => {
  fc.assert(
    fc.property(botReplies, outcomes, instants, (command, outcome, requestedAt) => {
      const attempts = [{ at: requestedAt, durationMs: 3, status: 503, code: 'busy' }]
      const event = outcomeEvent({ command, outcome, attempts, requestedAt, time: noon })
      assert.equal(ConversationEvent.decode(event), E.right(event))
      assert.equal(JSON.parse(JSON.stringify(event)), event)
    }),
  )
})

test('a refusal of any readable command gives an event of the contract', () => {
  fc.assert(
    fc.property(botReplies, fc.nat(), (command, offset) => {
      const event = refusedEvent(command, { partition: 3, offset }, { cause: 'wrong-key', detail: 'why' }, noon, noon)
      assert.equal(ConversationEvent.decode(event), E.right(event))
    }),
  )
})

const idOf = (account: string, command: string, chatId = '2037') =>
  outcomeEvent({
    command: { ...botMessage(command, { chatId }), accountId: account as AccountId },
    outcome: { kind: 'delivered' },
    attempts: [],
    requestedAt: noon,
    time: noon,
  }).id

test('an outcome always has the same id, different for each account, chat and command, even for the longest ids', () => {
  const longest = 'x'.repeat(255)
  const seen = [
    idOf('acme', 'c1'),
    idOf('other', 'c1'),
    idOf('acme', 'c2'),
    idOf('acme', 'c1', '2038'),
    idOf('acme', longest, '2038'),
    idOf('acme', longest),
    idOf('acme', `${longest.slice(1)}y`),
  ]
  assert.is(new Set(seen).size, seen.length)
  assert.is(idOf('acme', longest), idOf('acme', longest))
  assert.is(idOf('acme', 'c1'), 'acme/2037/c1:delivered')
})

for (const [cause, reason] of [
  ['wrong-key', 'invalid'],
  ['not-json', 'invalid'],
  ['unknown-account', 'unknown-account'],
  ['duplicate', 'duplicate'],
  ['gone', 'gone'],
  ['unforeseen', 'unforeseen'],
] as const)
  test(`the event of a command that was refused as ${cause} has the reason ${reason}`, () =>
    assert.is(
      refusedEvent(botMessage('c1'), { partition: 3, offset: 4 }, { cause, detail: 'why' }, noon, noon).data.reason,
      reason,
    ))

test.run()
