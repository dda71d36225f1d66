import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  chatsOf,
  effectOf,
  type Letter,
  reasonOf,
  warningOf,
} from '../../src/console/pages/dead-letters/redrive-plan.ts'

const test = suite('what the console says before letters are sent again')

const letter = (part: Partial<Letter> = {}): Letter => ({ cause: 'unstorable', topic: 'bot-replies', ...part })
const [text, buttons] = ['message.text: expected text', 'message.buttons: expected 1 to 3 buttons']
const bot = 'The bot’s team can mend this: the bot must send another reply.'
const bridge = 'Only an update of the bridge can mend this.'

for (const [letters, said] of [
  [[letter()], 'Cannot be stored'],
  [[letter(), letter({ topic: 'calls' })], 'Cannot be stored'],
  [[letter({ cause: 'contract', reason: text })], `Breaks its contract: ${text}`],
  [
    [letter({ cause: 'contract', reason: text }), letter({ cause: 'invalid', reason: text })],
    `Breaks its contract: ${text}`,
  ],
  [
    [letter({ cause: 'contract', reason: text }), letter({ cause: 'contract', reason: buttons })],
    'Breaks its contract, for 2 reasons',
  ],
  [[letter(), letter({ cause: 'contract' })], '2 causes'],
] as const)
  test(`the reason of ${letters.length}: ${said}`, () => assert.is(reasonOf(letters), said))

test('the only chat is named, several are counted, and a letter may have none', () => {
  const [one, two] = [letter({ chatId: '1' }), letter({ chatId: '2' })]
  assert.equal([[one], [one, one], [one, two, one], [one, letter()], [letter()], []].map(chatsOf), [
    'Chat 1',
    'Chat 1',
    '2 chats',
    'Chat 1',
    undefined,
    undefined,
  ])
})

for (const [name, letters, said] of [
  ['a server that was away', [letter()], undefined],
  ['one broken reply', [letter({ cause: 'contract' })], `It will most likely fail again. ${bot}`],
  [
    'broken replies',
    [letter({ cause: 'invalid' }), letter({ cause: 'contract' })],
    `They will most likely fail again. ${bot}`,
  ],
  ['some broken replies', [letter(), letter({ cause: 'contract' })], `1 of them will most likely fail again. ${bot}`],
  ['a broken event', [letter({ cause: 'contract', topic: 'chats' })], `It will most likely fail again. ${bridge}`],
  ['a bug of the bridge', [letter({ cause: 'unforeseen' })], `It will most likely fail again. ${bridge}`],
  [
    'an enrichment',
    [letter({ cause: 'contract', topic: 'enrichments' })],
    'It will most likely fail again. The team that writes the enrichments can mend this.',
  ],
  [
    'more than one team',
    [letter({ cause: 'contract' }), letter({ cause: 'contract', topic: 'chats' })],
    `They will most likely fail again. ${bot} ${bridge}`,
  ],
] as const)
  test(`a warning, and who can help: ${name}`, () =>
    assert.is(warningOf('dead-letters', letters, letters.length), said))

test('a request that is not understood yet waits for an update of the bridge', () => {
  const requests = [letter({ topic: 'quarantine', cause: 'invalid' })]
  assert.equal(
    [0, 1].map((sent) => warningOf('quarantine', requests, sent)),
    [bridge, undefined],
  )
})

test('only effects that these letters can have are told', () => {
  const [reply, event] = [letter(), letter({ topic: 'calls' })]
  const said = [[reply], [event], [reply, event]].map((letters) => effectOf('dead-letters', letters))
  assert.equal(
    said.map((words) => [/client/.test(words), /statistics/.test(words), /undone/.test(words)]),
    [
      [true, false, true],
      [false, true, true],
      [true, true, true],
    ],
  )
  assert.match(effectOf('quarantine', [letter({ topic: 'quarantine' })]), /a bot may answer/)
})

test.run()
