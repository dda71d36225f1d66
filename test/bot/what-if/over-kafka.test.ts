import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { clientWrites, inChat } from '../../../src/bot/harness.ts'
import { committedOf, turnWithinMs } from '../../../src/bot/what-if/over-kafka/commits.ts'
import { named } from '../../../src/bot/what-if/over-kafka/group-bot.ts'
import { answersTo } from '../../../src/bot/what-if/over-kafka/records-read.ts'
import { answerOf, commandOf } from '../../../src/bot/what-if/over-kafka/replies.ts'
import { shapesOf } from './given-chat.ts'

const overKafka = suite('the answer of a bot over Kafka')

const fields = { id: 'r-1', accountId: 'acme', chatId: '1', clientId: '2' }
const says = (message: unknown, more = {}) => ({ type: 'BotMessage', ...fields, message, ...more })
const four = ['a', 'b', 'c', 'd'].map((id) => ({ id, text: id }))

const rows: ReadonlyArray<readonly [title: string, value: unknown, shapes: string, words: string, reason?: string]> = [
  ['text', says({ type: 'TEXT', text: 'Hi' }), 'TEXT', 'Hi'],
  ['Markdown beside its plain text', says({ type: 'MARKDOWN', content: '*Hi*', text: 'Hi' }), 'MARKDOWN', '*Hi*'],
  ['an announcement', says({ type: 'TEXT', text: 'Hi' }, { expectsMore: true }), 'TEXT, more follows', 'Hi'],
  ['ids that are numbers', says({ type: 'BUTTONS', title: 'Q', buttons: [{ id: 1, text: 'A' }] }), 'BUTTONS 1', 'Q\nA'],
  ['a hand-over', { type: 'InviteAgent', ...fields }, 'hand-over', ''],
  [
    'too many buttons',
    says({ type: 'BUTTONS', title: 'Q', buttons: four }),
    'BUTTONS a, b, c, d',
    'Q\na\nb\nc\nd',
    'message.buttons: expected 1 to 3 buttons',
  ],
  ['a message that the bridge refuses', says({ type: 'TEXT', text: ' ' }), 'TEXT', ' ', 'reply 1: '],
  ['Markdown that is sent as its plain text', says({ type: 'MARKDOWN', content: '# Hi' }), 'MARKDOWN', '# Hi'],
  ['a message of another form', says({ type: ['TEXT'] }), 'unknown', '', 'message'],
  ['a message that is text', says('Hi'), 'silence', '', 'message'],
  ['a record that is no object', 7, 'silence', '', 'expected a BotMessage or InviteAgent command'],
]
for (const [title, value, shapes, words, reason] of rows)
  overKafka(title, () => {
    const command = commandOf({ value: Buffer.from(JSON.stringify(value)), timestamp: 5 })
    const { replies, failing } = answerOf(clientWrites('Hello'), [command], 0, 1_000)
    assert.is(shapesOf(replies), shapes)
    assert.is(replies.map((act) => (act.kind === 'message' ? act.words : '')).join(), words)
    assert.is(failing?.verdict, reason === undefined ? undefined : 'refused')
    assert.ok((failing?.reason ?? '').includes(reason ?? ''), failing?.reason)
  })

overKafka('what is no JSON is refused', () => {
  const command = commandOf({ value: Buffer.from('{'), timestamp: 5 })
  assert.ok(E.isLeft(command.reply))
  assert.equal(command.acts, [])
})

overKafka('a record is committed when the bot would continue behind it', () => {
  const places = [
    { partition: 0, offset: 4 },
    { partition: 0, offset: 5 },
    { partition: 1, offset: 0 },
  ]
  assert.equal(committedOf(places, new Map([[0, 5]])), [places[0]])
})

overKafka('a bot that starts has two minutes; then it has twice its time, and five seconds', () =>
  assert.equal([turnWithinMs(false, 1_000), turnWithinMs(true, 1_000)], [120_000, 7_000]),
)

overKafka('a command answers a message of the turn, or no message', () => {
  const commands = [{ inReplyTo: 'm1' }, { inReplyTo: 'm2' }, {}]
  assert.equal(answersTo(commands, new Set(['m2'])), commands.slice(1))
})

overKafka('a chat that is played again has another name, and its events other ids', () => {
  const event = inChat('7', clientWrites('Hello'))
  const names = (suffix: string) => {
    const { id, subject, data } = named(event, suffix)
    return [id, subject, data.chatId]
  }
  assert.equal(
    [names(''), names('0001')],
    [
      [event.id, '7', '7'],
      [`${event.id}-0001`, '70001', '70001'],
    ],
  )
})

overKafka.run()
