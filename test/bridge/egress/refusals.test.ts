import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { simulation } from './support/simulation.ts'
import { account, answer, botMessage, id, inviteAgent, serviceEvent, silentLog } from './support/values.ts'

const test = suite('refused commands')

const addressed = { id: 'c1', accountId: 'acme', chatId: '2037', clientId: '1233' }
const markdown = (content: string) => ({ ...addressed, type: 'BotMessage', message: { type: 'MARKDOWN', content } })

const blank = { ...addressed, type: 'BotMessage', message: { type: 'TEXT', text: ' ' } }

type Simulation = ReturnType<typeof simulation>
const refusals = (w: Simulation) =>
  w.outcomes().map((event) => event.type === 'BotReplyFailed' && [event.data.reason, event.data.detail])

const handled = async (w: Simulation, value: unknown, key: string | null = 'acme/2037') => {
  await w.start()
  w.log.append('bot-replies', key, value)
  await w.time.until(w.isDone)
  assert.is(w.requests.length, 0)
  return { letters: w.deadLetters, refusals: refusals(w) }
}

const written = '# Title\n\n- [item](https://a.b)'
const shown: ReadonlyArray<readonly [what: string, content: string, sent: object, renderedAs: unknown, text: string]> =
  [
    [
      'Markdown that the service cannot show is sent as its plain text',
      written,
      { type: 'TEXT', text: 'Title\n\n- item (https://a.b)' },
      'TEXT',
      'Title\n\n- item (https://a.b)',
    ],
    [
      'Markdown of more than 4096 characters is sent as text',
      'x'.repeat(4_097),
      { type: 'TEXT', text: 'x'.repeat(4_097) },
      'TEXT',
      'x'.repeat(4_097),
    ],
    [
      'a link that clients must not be given is lost, and no more',
      '**See** [this](javascript:alert)',
      { type: 'MARKDOWN', content: '**See** this', text: 'See this' },
      'MARKDOWN',
      'See this',
    ],
    [
      'Markdown that the service can show is sent as it is',
      '**See** [this](tel:+12)',
      { type: 'MARKDOWN', content: '**See** [this](tel:+12)', text: 'See this' },
      undefined,
      'See this',
    ],
  ]
for (const [what, content, sent, renderedAs, text] of shown)
  test(`${what}, and the outcome says so`, async () => {
    const w = simulation()
    await w.start()
    w.log.append('bot-replies', 'acme/2037', markdown(content))
    await w.time.until(w.isDone)
    const timestamp = '2026-01-31T12:00:00.000Z'
    assert.equal(
      w.requests.map(({ request }) => JSON.parse(request.body).message),
      [{ ...sent, timestamp: Date.parse(timestamp) / 1000 }],
    )
    assert.equal(
      w
        .outcomes()
        .map(({ type, data }) => [
          type,
          'message' in data && data.message,
          'renderedAs' in data ? data.renderedAs : undefined,
        ]),
      [['BotReplyDelivered', { type: 'MARKDOWN', content, text, timestamp }, renderedAs]],
    )
    assert.equal(w.deadLetters, [])
  })

test('an account may want other Markdown refused: it becomes a dead letter, and its author gets an event', async () => {
  const detail = 'message.content: expected links, bold and italic only, found heading, list'
  const refusing = simulation({ accounts: [account({ markdown: 'refuse' })] })
  assert.equal(await handled(refusing, markdown('# Title\n\n- item')), {
    letters: [{ offset: 0, cause: 'invalid', detail }],
    refusals: [['invalid', detail]],
  })
})

test('more than three buttons become a dead letter', async () => {
  const buttons = [1, 2, 3, 4].map((n) => ({ id: n, text: `${n}` }))
  const message = { type: 'BUTTONS', title: 'Which?', buttons }
  const { letters, refusals } = await handled(simulation(), { ...addressed, type: 'BotMessage', message })
  assert.equal(letters, [{ offset: 0, cause: 'invalid', detail: 'message.buttons: expected 1 to 3 buttons' }])
  assert.is(refusals.length, 1)
})

test('a key that is not the account and chat becomes a dead letter', async () => {
  for (const key of ['acme/2038', '2037', null]) {
    const { letters } = await handled(simulation(), botMessage('c1'), key)
    assert.equal(
      letters.map(({ cause }) => cause),
      ['wrong-key'],
    )
  }
})

const message = { type: 'TEXT', text: 'Hi' }
const command = { ...addressed, type: 'BotMessage', message }
const mistaken: ReadonlyArray<readonly [what: string, value: unknown, detail: string]> = [
  ['an unknown key', { ...command, typo: 1 }, 'typo: expected no such key in BotMessage'],
  [
    'an unknown key of a hand-over',
    { ...addressed, type: 'InviteAgent', expectsMore: true },
    'expectsMore: expected no such key in InviteAgent',
  ],
  [
    'an unknown key of a message',
    { ...command, message: { ...message, typo: 1 } },
    'message.typo: expected no such key in TEXT',
  ],
  ['an empty text', { ...command, message: { ...message, text: ' ' } }, 'message.text: expected words, found none'],
  [
    'an empty title',
    { ...command, message: { type: 'BUTTONS', title: '', buttons: [{ id: '1', text: 'Yes' }] } },
    'message.title: expected words, found none',
  ],
  [
    '2 MB of text',
    { ...command, message: { ...message, text: 'x'.repeat(2_000_000) } },
    'message.text: expected at most 65536 characters',
  ],
]
for (const [what, value, detail] of mistaken)
  test(`${what} becomes a dead letter`, async () => {
    assert.equal(await handled(simulation(), value), {
      letters: [{ offset: 0, cause: 'invalid', detail }],
      refusals: [['invalid', detail]],
    })
  })

test('a message of an event can be sent unchanged, also one from a button', async () => {
  const w = simulation()
  await w.start()
  w.log.append('bot-replies', 'acme/2037', {
    ...command,
    id: 'c9',
    message: { ...message, buttonId: '7', timestamp: '2026-01-31T12:00:00.000Z' },
  })
  await w.time.until(w.isDone)
  assert.equal(w.applied, ['c9'])
})

test("a command for another client than the chat's becomes a dead letter, and one for its client is sent", async () => {
  const detail = 'clientId: expected the client of the chat'
  for (const wrong of [
    { ...botMessage('c1'), clientId: id('77') },
    { ...inviteAgent('c1'), clientId: id('77') },
  ]) {
    const w = simulation()
    await w.start()
    w.log.appendEvent(serviceEvent('ClientMessageReceived', 'm1', w.time.now()))
    w.command(wrong)
    w.command(botMessage('c2'))
    await w.time.until(w.isDone)
    assert.equal(w.deadLetters, [{ offset: 0, cause: 'invalid', detail }])
    assert.equal(refusals(w)[0], ['invalid', detail])
    assert.is(w.applied[0], 'c2')
  }
})

test('an account that is unknown, or has no bot, becomes a dead letter', async () => {
  const { bot: _, ...botless } = account()
  for (const accounts of [[], [botless]]) {
    const { letters, refusals } = await handled(simulation({ accounts }), botMessage('c1'))
    assert.equal(letters, [
      { offset: 0, cause: 'unknown-account', detail: 'accountId: expected an account with a bot' },
    ])
    assert.equal(refusals, [['unknown-account', 'accountId: expected an account with a bot']])
  }
})

test('a command whose author cannot be read becomes a dead letter only', async () => {
  const w = simulation()
  const { letters, refusals } = await handled(w, { ...addressed, id: '', type: 'InviteAgent' })
  assert.equal([letters.length, refusals], [1, []])
})

test('bytes that make the decoder throw become a dead letter and block nothing', async () => {
  const w = simulation()
  const { letters, refusals } = await handled(w, 'no json')
  assert.equal(
    letters.map(({ offset, cause }) => ({ offset, cause })),
    [{ offset: 0, cause: 'unforeseen' }],
  )
  assert.match(letters[0]?.detail ?? '', /^SyntaxError at (?:test|src)\/bridge\/egress\/[\w/.-]+:\d+:\d+/)
  assert.not.match(letters[0]?.detail ?? '', 'no json')
  assert.equal(refusals, [])
  w.command(botMessage('c2'))
  await w.time.until(w.isDone)
  assert.equal(w.applied, ['c2'])
})

test('a readable command that meets a bug becomes a dead letter, its event says so, and its client gets an agent', async () => {
  const w = simulation({
    ports: {
      reroute: async () => {
        throw new TypeError('what the client wrote')
      },
    },
  })
  await w.start()
  w.log.appendEvent(serviceEvent('ClientMessageReceived', 'm1', w.time.now()))
  w.command(botMessage('c1'))
  await w.time.until(() => w.requests.some(({ body }) => body.event === 'INVITE_AGENT'))
  assert.equal(
    w.deadLetters.map(({ cause }) => cause),
    ['unforeseen'],
  )
  const [reason, detail] = refusals(w)[0] || []
  assert.is(reason, 'unforeseen')
  assert.match(detail ?? '', /^TypeError at /)
  assert.not.match(detail ?? '', 'client')
})

test('the event for its author has the type and the group that were sent, valid or not', async () => {
  const types = ['InviteAgent', 'BotMessage', 'Typing', 7, '', undefined]
  const told: unknown[] = []
  for (const type of types) {
    const w = simulation()
    await handled(w, { ...addressed, type, inReplyTo: 'm1', group: 'shop-bot' }, 'acme/2038')
    told.push(...w.outcomes().map(({ data }) => [data.commandType, data.inReplyTo, data.group]))
  }
  assert.equal(
    told,
    ['InviteAgent', 'BotMessage', 'Typing', 'unknown', 'unknown', 'unknown'].map((type) => [type, 'm1', 'shop-bot']),
  )
})

test("the service's answer to a rejected reply is published, up to 500 characters, without secrets, and never logged", async () => {
  const token = 'bot-"token"/0123456789'
  const logged: object[] = []
  const body = JSON.stringify({
    error: { code: 'no', message: `no ${token} at /${encodeURIComponent(token)} for an-access-token` },
  })
  const w = simulation({
    accounts: [account({ token, authorization: { clientId: id('acme'), secretKey: 'secret-key-0123456789' } })],
    answer: () => ({ result: answer(400, body + 'x'.repeat(1000)) }),
    ports: {
      issueToken: async () => ({ token: 'an-access-token', expiresIn: 3600 }),
      log: { ...silentLog, info: (fields) => void logged.push(fields) },
    },
  })
  await w.start()
  w.command(botMessage('c1'))
  await w.time.until(w.isDone)
  const said = '{"error":{"code":"no","message":"no [secret] at /[secret] for [secret]"}}'
  assert.equal(refusals(w), [['rejected', said.padEnd(500, 'x')]])
  assert.equal(logged, [
    { accountId: 'acme', commandId: 'c1', because: undefined, attempts: 1, kind: 'failed', reason: 'rejected' },
  ])
})

test('a rejection without a body has no detail', async () => {
  const w = simulation({ answer: () => ({ result: answer(400, '') }) })
  await w.start()
  w.command(botMessage('c1'))
  await w.time.until(w.isDone)
  assert.equal(refusals(w), [['rejected', undefined]])
})

test('a refused command may be corrected and sent again under its id', async () => {
  const w = simulation()
  await handled(w, blank)
  w.command(botMessage('c1'))
  await w.time.until(w.isDone)
  assert.equal(w.applied, ['c1'])
  assert.is(new Set(w.outcomes().map((event) => event.id)).size, 2)
})

test('a delivered command keeps its outcome when its id is used again in a bad command, which is a duplicate', async () => {
  const w = simulation()
  await w.start()
  w.command(botMessage('c1'))
  await w.time.until(w.isDone)
  w.log.append('bot-replies', 'acme/2037', blank)
  await w.time.until(w.isDone)
  assert.equal(
    w.outcomes().map((event) => (event.type === 'BotReplyFailed' ? event.data.reason : event.type)),
    ['BotReplyDelivered', 'duplicate'],
  )
  assert.is(w.deadLetters.length, 1)
})

test('a dead letter that cannot be kept yet is not skipped', async () => {
  const w = simulation()
  w.broker.isAway = true
  await w.start()
  w.log.append('bot-replies', 'acme/2037', blank)
  await w.time.pass(20_000)
  assert.equal([w.deadLetters.length, w.log.committed['bot-replies']], [0, 0])
  w.broker.isAway = false
  await w.time.until(w.isDone)
  assert.equal([w.deadLetters.length, w.outcomes().length], [1, 1])
})

test('an outcome is appended once, even if the log acknowledges it late', async () => {
  const published: string[] = []
  const w: Simulation = simulation({
    ports: {
      publish: (event, withinMs) => {
        published.push(event.id)
        return w.time.sleep(Math.min(withinMs, 600_000)).then(() => E.right(undefined))
      },
    },
  })
  await w.start()
  w.command(botMessage('c1'))
  await w.time.until(w.isDone)
  assert.equal(published, ['acme/2037/c1:delivered'])
})

test('an outcome that the log refuses for its size is published without the message', async () => {
  const published: string[] = []
  const w = simulation({
    ports: {
      publish: async (event) => {
        published.push('message' in event.data ? 'with the message' : 'without')
        return published.length === 1 ? E.left({ kind: 'too-large', reason: 'too large' }) : E.right(undefined)
      },
    },
  })
  await w.start()
  w.command(botMessage(id('c1')))
  await w.time.until(w.isDone)
  assert.equal(published, ['with the message', 'without'])
})

test.run()
