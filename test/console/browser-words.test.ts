import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { actions } from '../../contracts/commands/operator-action.ts'
import { AgentInvited, BotReplyFailed, BotReplySuppressed, Call, DomainEvent } from '../../contracts/events/index.ts'
import { Because } from '../../contracts/events/reply.ts'
import { ConversationState } from '../../contracts/views/conversation.ts'
import { driftKinds } from '../../contracts/views/drift.ts'
import { ErasureDocument } from '../../contracts/views/erasure.ts'
import { SessionDocument, SessionOutcome } from '../../contracts/views/session.ts'
import { differenceKinds, TranscriptAudit } from '../../contracts/views/transcript-audit.ts'
import { allChecks } from '../../src/bridge/domain/checks.ts'
import * as words from '../../src/console/browser/words.ts'
import { entryOf } from '../../src/console/pages/conversations/story-entry.ts'

const sentences = suite('words for codes')

sentences('no part of the bridge is called by a name that is only for programs', () => {
  const titles = allChecks.map(({ name }) => words.partTitle(name))
  assert.equal(
    titles.filter((title) => !/^[A-Z][A-Za-z]+( [a-z]+)*$/.test(title)),
    [],
  )
  assert.is(new Set(titles).size, titles.length)
  assert.is(words.partTitle('service of acme'), 'Service of acme')
})

const wrong = { cause: 'contract', reason: 'message.text: expected text' }
for (const [letter, above, told] of [
  [wrong, undefined, wrong.reason],
  [wrong, wrong, 'the same reason'],
  [wrong, { ...wrong, cause: 'invalid' }, wrong.reason],
  [wrong, { ...wrong, reason: 'time: expected text' }, wrong.reason],
  [{ cause: 'not-json' }, { cause: 'not-json' }, undefined],
] as const)
  sentences(`of a letter below ${JSON.stringify(above)}, the reason is told as “${told}”`, () =>
    assert.is(words.letterReason(letter, above), told),
  )

const literals = (codec: { readonly types: ReadonlyArray<{ readonly value: string }> }) =>
  codec.types.map(({ value }) => value)

const all: ReadonlyArray<readonly [string, ReadonlyArray<string>, (code: string) => string]> = [
  ['why the bridge acted', Object.keys(Because.keys), words.becauseWords],
  [
    'why the bridge handed a chat over',
    Object.keys(AgentInvited.type.types[0].props.data.type.types[1].props.reason.keys),
    words.inviteReasonWords,
  ],
  [
    'why a reply was given up',
    Object.keys(BotReplyFailed.type.types[0].props.data.type.types[0].props.reason.keys),
    words.failureWords,
  ],
  [
    'why a reply was suppressed',
    Object.keys(BotReplySuppressed.type.types[0].props.data.type.types[0].props.reason.keys),
    words.suppressionWords,
  ],
  ['who has a conversation', Object.keys(ConversationState.keys), words.stateWords],
  ['the outcome of a session', Object.keys(SessionOutcome.keys), words.outcomeWords],
  ['how a session ended', Object.keys(SessionDocument.type.types[1].props.ending.keys), words.endingWords],
  ['how a transcript differs', Object.keys(differenceKinds), words.differenceWords],
  [
    'why a transcript was not compared',
    Object.keys(TranscriptAudit.type.types[1].props.reason.keys),
    words.notComparedWords,
  ],
  ['the state of a call', literals(Call.type.types[1].props.status), (code) => words.callTitle('', code).trim()],
  ['the type of a call', literals(Call.type.types[1].props.type), words.callTypeWords],
  ['what is not known', Object.keys(driftKinds), words.driftWords],
  ['what an operator did', actions, words.actionWords],
  ['the state of an erasure', Object.keys(ErasureDocument.type.types[0].props.state.keys), words.erasureWords],
]
for (const [name, codes, say] of all)
  sentences(`every code of the contracts has words: ${name}`, () =>
    assert.equal(
      codes.filter((code) => say(code) === code.replaceAll('-', ' ')),
      [],
    ),
  )

for (const [clients, chats, name] of [
  [['1233'], ['1', '2'], 'Client 1233, a@example.com'],
  [['20', '30'], [], 'Clients 20, 30, a@example.com'],
  [[], ['5'], 'Conversation 5, a@example.com'],
  [[], ['5', '6'], 'Conversations without a client id, a@example.com'],
] as const)
  sentences(`a part of a person: ${name}`, () =>
    assert.is(words.partName({ clients: [...clients], chats: [...chats], emails: ['a@example.com'] }), name),
  )

sentences('conversations without a client and an address are named by their ids, of many by the first', () => {
  const alone = (...chats: string[]) => words.partName({ clients: [], chats, emails: [] })
  assert.is(alone('5', '6'), 'Conversations 5, 6')
  assert.is(alone('5', '6', '7', '8', '9'), 'Conversations 5, 6, 7 and 2 more')
})

sentences('who is erased and what is stored are named in one line, each of many', () => {
  assert.is(words.partsWords([{ clients: ['7'], chats: ['1', '2'], emails: [] }]), 'Client 7 (2 conversations)')
  const part = (client: string) => ({ clients: [client], chats: ['1'], emails: [] })
  assert.is(words.partsWords([part('7'), { clients: [], chats: ['5'], emails: [] }]), 'Client 7; Conversation 5')
  assert.match(
    words.partsWords(['1', '2', '3', '4', '5', '6', '7'].map(part)),
    /; Client 4; Client 5; Client 6; Client 7$/,
  )
  assert.is(
    words.sameWords(
      [
        { kind: 'visitor', value: '7' },
        { kind: 'email', value: 'a@b' },
      ],
      { kind: 'client', value: '7' },
    ),
    'Same visitor number 7, email address a@b',
  )
  const same = (value: string) =>
    words.sameWords([{ kind: 'phone', value }], { kind: 'phone', value: '+44 20 79460958' })
  assert.is(same('0044 2079460958'), 'Same phone number 0044 2079460958')
  assert.is(same('020 7946 0958'), 'Same phone number 020 7946 0958 apart from the country code')
  assert.is(
    words.storedLine([
      { what: 'chats', count: 3 },
      { what: 'timeline', count: 1_200 },
    ]),
    'chats (3), events (1,200)',
  )
  assert.is(words.storedLine([]), 'nothing')
})

sentences('an unknown code is shown unchanged', () => assert.is(words.outcomeWords('sold-on'), 'sold on'))

sentences('an inherited property is not a known code', () =>
  assert.is(words.outcomeWords('constructor'), 'constructor'),
)

sentences('the outcomes that can be searched for are those of the contract', () =>
  assert.equal([...words.outcomeCodes].sort(), Object.keys(SessionOutcome.keys).sort()),
)

type Session = Parameters<typeof words.sessionState>[0]
const states: ReadonlyArray<
  readonly [Session['kind'], Session['outcome'], 'open' | 'over', 'waits' | '', string, string]
> = [
  ['bot', 'abandoned', 'open', 'waits', 'Waiting for an agent', 'waits'],
  ['bot', 'abandoned', 'open', '', 'Waiting for an agent', 'waits'],
  ['bot', 'unavailable', 'open', 'waits', 'No agent available', 'waits'],
  ['bot', 'unanswered', 'open', 'waits', 'Waiting for the bot', 'waits'],
  ['bot', 'contained', 'open', 'waits', 'Waiting for the bot', 'waits'],
  ['bot', 'unanswered', 'open', '', 'With the bot', 'open'],
  ['bot', 'contained', 'open', '', 'With the bot', 'open'],
  ['bot', 'sold-on', 'open', '', 'sold on', 'open'],
  ['agent', 'open', 'open', '', 'With an agent', 'open'],
  ['bot', 'abandoned', 'over', 'waits', 'Left before an agent came', ''],
  ['bot', 'unanswered', 'over', 'waits', 'Nobody answered', ''],
  ['bot', 'contained', 'over', '', 'The bot answered alone', ''],
  ['agent', 'finished', 'over', '', 'Finished by an agent', ''],
]
for (const [kind, outcome, end, waits, said, tone] of states)
  sentences(`a session with ${kind}, ${outcome}, ${end}${waits && ', whose client waits'}: ${said}`, () =>
    assert.equal(words.sessionState({ kind, outcome, isOpen: end === 'open', waits: waits !== '' }), {
      words: said,
      tone,
    }),
  )

const typings: ReadonlyArray<readonly [Parameters<typeof words.kindOfTyped>, string]> = [
  [['client', '', 'ann@example.com'], 'email'],
  [['chat', 'ann', 'ann@'], 'email'],
  [['client', 'ann@example.co', 'ann@example.com'], 'client'],
  [['email', 'ann@example.com', ''], 'email'],
  [['visitor', '', '1240'], 'visitor'],
  [['email', '', 'ann'], 'email'],
  [['client', '', '+44 20'], 'phone'],
  [['phone', '+', ''], 'email'],
  [['email', '', '1240'], 'client'],
  [['client', '1240', ''], 'email'],
  [['chat', '1240', ''], 'chat'],
  [['client', '550', '550e8400'], 'client'],
  [['email', '', '020 7946 0958'], 'phone'],
  [['client', '020 794', '020 7946'], 'phone'],
  [['client', '442079460', '4420794609'], 'phone'],
  [['visitor', '442079460', '4420794609'], 'visitor'],
  [['client', 'ann1', 'ann1@'], 'email'],
  [['client', 'ann', 'an'], 'client'],
  [['phone', '', '020'], 'phone'],
  [['phone', '+4', 'a@'], 'email'],
]
for (const [[kind, before, now], searched] of typings)
  sentences(`a person is searched by ${searched} after "${before}" became "${now}" in a search by ${kind}`, () =>
    assert.is(words.kindOfTyped(kind, before, now), searched),
  )

sentences('who may not find a person is told who may, and where', () => {
  for (const typed of ['email', 'phone', 'number'] as const) {
    assert.match(words.typedWords(typed, false), /here and on the page Privacy by people with the role privacy/)
    assert.not.match(words.typedWords(typed, true), /Privacy/)
  }
  assert.match(words.typedWords('number', true), /may be a phone number, or the id of a chat or a client/)
})

sentences('chats and clients of a person say why they are listed', () => {
  const part = { ids: [], chats: ['1'], clients: [], emails: [], via: [{ kind: 'visitor', value: '7' }], isSure: true }
  const said = (more: object) => words.joinedWords({ ...part, ...more }, { kind: 'email', value: 'a@example.com' })
  assert.equal([{}, { isSure: false }, { isLikelyOther: true }, { via: [] }].map(said), [
    'Same visitor number 7',
    'Same visitor number 7; may be another person',
    'Same visitor number 7; may be another person',
    'You asked for this one',
  ])
})

sentences('a search that finds nobody says what was searched', () => {
  assert.is(words.nobodyWords('client'), 'No client with this id is stored.')
  assert.match(words.nobodyAdvice('client', 'ann@example.com'), /email addresses were not searched/)
  assert.match(words.nobodyAdvice('client', '1240'), /find the person by another/)
  assert.match(words.nobodyAdvice('client', '020 7946 0958'), /if it is a phone number, choose Phone number/)
  assert.match(words.nobodyAdvice('email', 'ann'), /no email address/)
  assert.match(words.nobodyAdvice('email', 'ann@example.com'), /find the person by another/)
  assert.match(words.nobodyAdvice('phone', '020 7946 0958'), /with and without the country code/)
})

sentences('an answer of the service is described by its status and code', () =>
  assert.equal(
    [
      words.answerWords(200, undefined),
      words.answerWords(503, undefined),
      words.answerWords(400, 'invalid_request'),
      words.answerWords(undefined, 'timeout'),
      words.answerWords(undefined, 'EPIPE'),
      words.answerWords(undefined, undefined),
    ],
    ['200 accepted', '503 refused', '400, invalid_request', 'no answer in time', 'EPIPE', 'no answer'],
  ),
)

sentences('the last attempt of a reply is an answer only if the service gave one', () =>
  assert.equal(
    [words.lastAttemptWords(400, 'invalid_request'), words.lastAttemptWords(undefined, 'timeout')],
    ['Last answer of the service: 400, invalid_request', 'Last attempt: no answer in time'],
  ),
)

sentences('every event has a title in words', () => {
  const place = { id: 'a', time: '2026-11-24T10:00:00.000Z', topic: 'chats', partition: 0, offset: 0, data: {} }
  assert.equal(
    DomainEvent.types
      .map(({ name }) => entryOf({ ...place, type: name }).title)
      .filter((title) => /[a-z][A-Z]/.test(title)),
    [],
  )
})

sentences('an event that the page does not know has its name for a title, and says what it alone has', () => {
  const place = { id: 'a', time: '2026-11-24T10:00:00.000Z', topic: 'chats', partition: 0, offset: 0 }
  const agents = { agent: { id: '1' }, fromAgent: { id: '1', name: 'Ann' }, toAgent: { id: '2' }, toTeam: 'Sales' }
  const { who, title, notes } = entryOf({ ...place, type: 'ChatTransferred', data: { chatId: '2037', ...agents } })
  assert.equal(
    { who, title, notes },
    { who: 'service', title: 'Chat transferred', notes: ['From agent: Ann', 'To agent: 2', 'To team: Sales'] },
  )
})

sentences.run()
