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
import { chatOf, problemsText } from '../../src/console/pages/dead-letters/problems.ts'

const noon = '2026-01-31T12:00:00.000Z' as Instant
const secret = 'Jane'
const unknownField = 'a field that the contract does not know'

const letters = suite('dead letters in the console')

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
