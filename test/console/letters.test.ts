import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Instant } from '../../contracts/primitives.ts'
import { type Chained, chatOf, letterStates, reasonOf } from '../../src/console/letters.ts'

const noon = '2026-01-31T12:00:00.000Z' as Instant
const letter = (more: Partial<Chained> = {}): Chained => ({
  key: 'acme/1',
  topic: 'bot-replies',
  consumer: 'egress',
  firstFailedAt: noon,
  bytes: 20,
  redriven: 0,
  sentAt: [],
  ...more,
})

const letters = suite('states of dead letters')

letters('a letter that was not sent again is unresolved', () => assert.equal(letterStates([letter()]), ['unresolved']))

letters('a letter that was sent, and whose record has not failed since, is sent', () =>
  assert.equal(letterStates([letter({ sentAt: [noon] })]), ['sent']),
)

letters('a letter whose record failed again says so, and the later failure is unresolved', () =>
  assert.equal(letterStates([letter({ sentAt: [noon] }), letter({ redriven: 1 })]), ['failed-again', 'unresolved']),
)

letters('after a second attempt only the newest failure is unresolved or sent', () =>
  assert.equal(
    letterStates([letter({ sentAt: [noon] }), letter({ redriven: 1, sentAt: [noon] }), letter({ redriven: 2 })]),
    ['failed-again', 'failed-again', 'unresolved'],
  ),
)

for (const [what, other] of Object.entries({
  'of another key': { key: 'acme/2' },
  'of another topic': { topic: 'chats' },
  'of another consumer': { consumer: 'projector' },
  'that began to fail at another time': { firstFailedAt: '2026-01-31T12:00:01.000Z' },
}))
  letters(`a failure ${what} is another record`, () =>
    assert.equal(letterStates([letter({ sentAt: [noon] }), letter({ redriven: 1, ...other })]), ['sent', 'unresolved']),
  )

letters('the reason names fields of the contract, and nothing that the sender made up', () =>
  assert.equal(
    [
      reasonOf([{ path: 'message.buttons', expected: '1 to 3 buttons' }]),
      reasonOf([{ path: 'chat_id', expected: 'an integer or text' }]),
      reasonOf([{ path: 'message.ann@example.com', expected: 'nothing' }]),
      reasonOf([{ path: '', expected: 'an object' }]),
      reasonOf([]),
    ],
    [
      'message.buttons: expected 1 to 3 buttons',
      'chat_id: expected an integer or text',
      'a field that the contract does not know',
      'expected an object',
      '',
    ],
  ),
)

letters('only keys of topics of chats name a chat', () =>
  assert.equal(
    [
      chatOf('chats', 'acme/2037'),
      chatOf('clients', 'acme/1233'),
      chatOf('bot-replies', 'ann@example.com'),
      chatOf('bot-replies', 'acme/ann@example.com'),
      chatOf('unknown', 'acme/1'),
    ],
    ['2037', undefined, undefined, undefined, undefined],
  ),
)

letters.run()
