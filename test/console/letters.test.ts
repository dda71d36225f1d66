import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BotReply } from '../../contracts/commands/bot-reply.ts'
import type { Instant } from '../../contracts/primitives.ts'
import { describe, problemsIn, problemsOf } from '../../contracts/problem.ts'
import { markdown } from '../../src/bridge/adapters/markdown.ts'
import { mistakesInCommand } from '../../src/bridge/domain/check-reply.ts'
import { problemText } from '../../src/bridge/domain/decode-request.ts'
import { readJson } from '../../src/bridge/domain/read-json.ts'
import { type Chained, chainsOf, chatOf, isIn, problemsText } from '../../src/console/pages/dead-letters/chains.ts'

const noon = '2026-01-31T12:00:00.000Z' as Instant
let failures = 0
const letter = (more: Partial<Chained> = {}): Chained => ({
  key: 'acme/1',
  topic: 'bot-replies',
  consumer: 'egress',
  firstFailedAt: noon,
  checksum: 20,
  redriven: 0,
  failure: `${failures++}`,
  sentAt: [],
  ...more,
})
/** The place of the newest failure of each record, those of its earlier ones, and its state. */
const told = (all: ReadonlyArray<Chained>) =>
  chainsOf(all).map(({ newest, earlier, state }) => [all.indexOf(newest), earlier.map((it) => all.indexOf(it)), state])

const secret = 'Jane'
const unknownField = 'a field that the contract does not know'

const letters = suite('states of dead letters')

letters('a letter that was not sent again is unresolved', () => assert.equal(told([letter()]), [[0, [], 'unresolved']]))

letters('a letter that was sent, and whose record has not failed since, is sent', () =>
  assert.equal(told([letter({ sentAt: [noon] })]), [[0, [], 'sent']]),
)

letters('a record that failed again is one letter, at its newest failure', () =>
  assert.equal(told([letter({ sentAt: [noon] }), letter({ redriven: 1 })]), [[1, [0], 'failed-again']]),
)

letters('when the newest failure is sent, the record is sent', () =>
  assert.equal(told([letter({ sentAt: [noon] }), letter({ redriven: 1, sentAt: [noon] })]), [[1, [0], 'sent']]),
)

letters('earlier failures are in the order of the failures, also when they are given in another', () =>
  assert.equal(told([letter({ redriven: 1 }), letter({ redriven: 2 }), letter()]), [[1, [2, 0], 'failed-again']]),
)

const later = { firstFailedAt: '2026-01-31T12:00:01.000Z' }

letters('a failure that was kept twice is one letter', () => {
  const copy = { failure: 'chats/0/7' }
  assert.equal(told([letter(copy), letter({ ...copy, ...later })]), [[0, [], 'unresolved']])
  const sent = { ...copy, sentAt: [noon] }
  assert.equal(told([letter(sent), letter({ ...sent, ...later })]), [[0, [], 'sent']])
})

letters('the later failure of either copy is a failure of the same record', () => {
  const sent = { failure: 'chats/0/7', sentAt: [noon] }
  const copies = [letter(sent), letter({ ...sent, ...later })]
  assert.equal(told([...copies, letter({ redriven: 1 })]), [[2, [0], 'failed-again']])
  assert.equal(told([...copies, letter({ ...later, redriven: 1 })]), [[2, [1], 'failed-again']])
})

letters('a later failure that was kept twice is one letter too', () => {
  const again = { failure: 'chats/0/9', redriven: 1 }
  assert.equal(told([letter({ sentAt: [noon] }), letter(again), letter(again)]), [[1, [0], 'failed-again']])
})

for (const [what, other] of Object.entries({
  'of another key': { key: 'acme/2' },
  'of another topic': { topic: 'chats' },
  'of another consumer': { consumer: 'projector' },
  'that began to fail at another time': { firstFailedAt: '2026-01-31T12:00:01.000Z' },
  'with other content': { checksum: 21 },
}))
  letters(`a failure ${what} is another record`, () =>
    assert.equal(told([letter({ sentAt: [noon] }), letter({ redriven: 1, ...other })]), [
      [0, [], 'sent'],
      [1, [], 'failed-again'],
    ]),
  )

letters('each letter is in one chain, and sending and failing again changes no number of records', () => {
  const attempts = fc.array(fc.record({ key: fc.constantFrom('acme/1', 'acme/2', 'acme/3'), sends: fc.nat(3) }))
  fc.assert(
    fc.property(attempts, (records) => {
      const all = records.flatMap(({ key, sends }, i) =>
        Array.from({ length: sends + 1 }, (_, redriven) =>
          letter({ key, checksum: i, redriven, sentAt: redriven < sends ? [noon] : [] }),
        ),
      )
      const chains = chainsOf(all)
      assert.is(chains.length, records.length)
      assert.equal(new Set(chains.flatMap(({ newest, earlier }) => [newest, ...earlier])), new Set(all))
      assert.is(chains.filter(({ state }) => isIn('unresolved', state)).length, records.length)
    }),
  )
})

letters('the reason names fields of the contract, and nothing that the sender made up', () =>
  assert.equal(
    [
      problemsText([{ path: 'message.buttons', expected: '1 to 3 buttons' }]),
      problemsText([{ path: 'chat_id', expected: 'an integer or text' }]),
      problemsText([{ path: 'message.ann@example.com', expected: 'nothing' }]),
      problemsText([{ path: '', expected: 'an object' }]),
      problemsText([]),
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

letters('the reason has the index of an item, and no other digits', () =>
  assert.equal(
    ['message.buttons.0.text', '079.123.456', 'message.079', 'message.1234', 'tags.0.1'].map((path) =>
      problemsText([{ path, expected: 'text' }]),
    ),
    ['message.buttons.0.text: expected text', ...Array.from({ length: 4 }, () => unknownField)],
  ),
)

/** What a sender may write, with its secret in the middle of what looks like the text of a problem. */
const piece = fc.oneof(
  fc.constantFrom('text', 'message', 'chat_id', '.', ';', ':', '; ', ': expected ', 'text: expected ', ' ', '%'),
  fc.string({ maxLength: 5 }),
)
const pieces = fc.array(piece, { maxLength: 4 }).map((all) => all.join(''))
const sentText = fc.tuple(pieces, pieces).map(([before, after]) => `${before}${secret}${after}`)

const problemsInCommand = (command: object): string => {
  const decoded = BotReply.decode(command)
  return E.isLeft(decoded)
    ? describe(problemsOf(decoded.left))
    : mistakesInCommand(markdown, decoded.right, 'refuse').join('; ')
}
const message = { type: 'TEXT', text: 'Hello' }
const command = { id: 'r1', accountId: 'acme', chatId: '1', clientId: '2', requestedAt: noon, type: 'BotMessage' }
const repeated = (key: string) => {
  const json = readJson(Buffer.from(`{${JSON.stringify(key)}:1,${JSON.stringify(key)}:2}`))
  return E.isLeft(json) ? problemText({ kind: 'invalid', problems: [json.left] }) : ''
}
const buttons = (button: object) => ({
  type: 'BUTTONS',
  title: 'Choose',
  buttons: [{ text: 'Yes', id: '1', ...button }],
})

for (const [what, textOf] of Object.entries({
  'a key that is sent twice': repeated,
  'a key of a command': (key: string) => problemsInCommand({ ...command, message, [key]: 1 }),
  'a key of a message': (key: string) => problemsInCommand({ ...command, message: { ...message, [key]: 1 } }),
  'a key of a button': (key: string) => problemsInCommand({ ...command, message: buttons({ [key]: 1 }) }),
  'a key of a hand-over': (key: string) => problemsInCommand({ ...command, type: 'InviteAgent', [key]: 1 }),
}))
  letters(`the reason never has ${what} that the sender made up`, () => {
    fc.assert(
      fc.property(sentText, (key) => {
        const reason = problemsText(problemsIn(textOf(key)))
        assert.not.match(reason, secret)
        assert.match(reason, unknownField)
      }),
      {
        examples: [[`${secret} Doe, +41 79 123; x`], [`text: expected ${secret} Doe`], [`text: expected ${secret}; x`]],
      },
    )
  })

for (const [what, textOf] of Object.entries({
  'an id of a command': (text: string) => problemsInCommand({ ...command, message, chatId: `${text}/` }),
  'a type of a command': (text: string) => problemsInCommand({ ...command, message, type: text }),
  'a type of a message': (text: string) => problemsInCommand({ ...command, message: { ...message, type: text } }),
  'a text in the place of a message': (text: string) => problemsInCommand({ ...command, message: text }),
  'a text with a picture': (text: string) =>
    problemsInCommand({ ...command, message: { type: 'TEXT', text: `![${text}](${text})` } }),
}))
  letters(`the reason never has ${what}`, () => {
    fc.assert(
      fc.property(sentText, (text) => {
        assert.not.match(problemsText(problemsIn(textOf(text))), secret)
      }),
    )
  })

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
