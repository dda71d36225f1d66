import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { simulation } from '../support/simulation.ts'
import {
  appendServiceEvent,
  botReplies,
  clientWrites,
  played,
  projected,
  publishedBy,
  type Step,
  sent,
  serviceTells,
} from '../support/talk.ts'
import { account, answer, botMessage, inviteAgent, networkFailure, noMeasure, ok } from '../support/values.ts'

const test = suite('the watchdog')

const aMinute = 60_000
type Options = Parameters<typeof simulation>[0]

test('a client without a reply within replyWithin is handed to an agent, and the log has the reason', async () => {
  const w = simulation()
  await w.start()
  appendServiceEvent(w, 'ClientMessageReceived', 'm1')
  await w.time.pass(aMinute)

  assert.equal(
    w.requests.map(({ at, body }) => [at, body]),
    [[10_000, { event: 'INVITE_AGENT', id: 'watchdog-m1', client_id: '1233', chat_id: '2037' }]],
  )
  const attempts = [{ at: '2026-01-31T12:00:10.000Z', durationMs: 10, status: 200 }]
  const told = { source: '/accounts/acme/egress', subject: '2037' }
  const chat = { accountId: 'acme', chatId: '2037', clientId: '1233' }
  assert.equal(w.log.events.slice(1), [
    {
      type: 'BotReplyDelivered',
      id: 'acme/2037/watchdog-m1:invite:delivered',
      ...told,
      time: '2026-01-31T12:00:10.010Z',
      data: {
        ...chat,
        commandId: 'watchdog-m1',
        commandType: 'InviteAgent',
        attempts,
        requestedAt: '2026-01-31T12:00:10.000Z',
        inReplyTo: 'm1',
        because: 'no-reply-in-time',
      },
    },
    {
      type: 'AgentInvited',
      id: 'acme/2037/watchdog-m1:invite:invited',
      ...told,
      time: '2026-01-31T12:00:10.000Z',
      data: { ...chat, invitedBy: 'bridge', reason: 'no-reply-in-time' },
    },
  ])
})

test('a hand-over that fails after the bot has answered leaves no client in silence', async () => {
  const w = simulation({
    answer: ({ event, id }) => ({ result: event === 'INVITE_AGENT' && id === 'c2' ? answer(400) : ok }),
  })
  await w.start()
  appendServiceEvent(w, 'ClientMessageReceived', 'm1')
  await w.time.pass(1000)
  w.command(botMessage('c1', { inReplyTo: 'm1' }))
  w.command(inviteAgent('c2'))
  await w.time.pass(aMinute)
  assert.equal(
    w.requests.map(({ body }) => [body.event, body.id]),
    [
      ['BOT_MESSAGE', 'c1'],
      ['INVITE_AGENT', 'c2'],
      ['INVITE_AGENT', 'watchdog-acme/2037/c2:invite:failed'],
    ],
  )
})

const invalid = { type: 'BotMessage', id: 'c1', accountId: 'acme', chatId: 1, clientId: 2 }
const stories: ReadonlyArray<
  readonly [title: string, steps: ReadonlyArray<Step>, sent: ReturnType<typeof sent>, options?: Options]
> = [
  [
    'a client with a reply in time is left to the bot',
    [clientWrites(0, 'm1'), botReplies(9000, 'c1', 'm1')],
    [['c1', 9000]],
  ],
  [
    'a message after the answered one is a new turn',
    [clientWrites(0, 'm1'), clientWrites(5000, 'm2'), botReplies(5000, 'c1', 'm1')],
    [
      ['c1', 5000],
      ['watchdog-m2', 15_000],
    ],
  ],
  [
    'AGENT_UNAVAILABLE causes no second invitation for the same turn, and the next message is a new turn',
    [clientWrites(0, 'm1'), serviceTells(10_500, 'AgentUnavailable', 'u1'), clientWrites(80_000, 'm2')],
    [
      ['watchdog-m1', 10_000],
      ['watchdog-m2', 90_000],
    ],
  ],
  [
    'a hand-over by the bot counts as a reply',
    [clientWrites(0, 'm1'), [0, (w) => w.command(inviteAgent('i1'))]],
    [['i1', 0]],
  ],
  [
    'after an invalid command of the bot the watchdog still acts for the client',
    [clientWrites(0, 'm1'), [0, (w) => w.log.append('bot-replies', 'acme/2037', invalid)]],
    [['watchdog-m1', 10_000]],
  ],
  ['an account without a bot, or an unknown account, has no watchdog', [clientWrites(0, 'm1')], [], { accounts: [] }],
  [
    'the watchdog waits for an attempt that is running when the time is up',
    [clientWrites(0, 'm1'), botReplies(9000, 'c1', 'm1')],
    [['c1', 9000]],
    { answer: () => ({ result: ok, afterMs: 2000 }) },
  ],
]
for (const [title, steps, expected, options] of stories)
  test(title, async () => {
    assert.equal(sent(await played(steps, options)), expected)
  })

test('a reply that is being retried does not delay the invitation, and is not sent after it', async () => {
  const w = await played([clientWrites(0, 'm1'), botReplies(0, 'c1', 'm1')], {
    answer: ({ event }) => ({ result: event === 'BOT_MESSAGE' ? answer(503, '', '30') : ok }),
  })
  assert.equal(sent(w), [
    ['c1', 0],
    ['watchdog-m1', 10_000],
  ])
  assert.equal(publishedBy(w), [
    ['BotReplyDelivered', 'no-reply-in-time'],
    ['AgentInvited', 'no-reply-in-time'],
    ['BotReplySuppressed', 'agent-invited'],
  ])
})

test('a reply that is given up invites an agent at once, and is counted', async () => {
  const told: unknown[] = []
  const measure = { ...noMeasure, delivery: (...given: unknown[]) => void told.push(given) }
  const w = simulation({
    answer: ({ event }) => ({ result: event === 'BOT_MESSAGE' ? answer(400) : ok }),
    ports: { measure },
  })
  await w.start()
  appendServiceEvent(w, 'ClientMessageReceived', 'm1')
  await w.time.pass(1000)
  w.command(botMessage('c1', { inReplyTo: 'm1' }))
  await w.time.pass(aMinute)
  assert.equal(sent(w), [
    ['c1', 1000],
    ['watchdog-m1', 1010],
  ])
  assert.equal(publishedBy(w), [
    ['BotReplyFailed', 'rejected'],
    ['BotReplyDelivered', 'delivery-failed'],
    ['AgentInvited', 'delivery-failed'],
  ])
  assert.equal(told, [
    ['acme', 'failed', undefined],
    ['acme', 'delivered', 'delivery-failed'],
  ])
})

test('a command that can never be sent invites an agent at once, unless the client already has a reply', async () => {
  const blank = { type: 'TEXT', text: ' ' }
  const command = {
    type: 'BotMessage',
    id: 'c1',
    accountId: 'acme',
    chatId: '2037',
    clientId: '1233',
    message: blank,
  }
  for (const inReplyTo of ['m2', undefined, 'm1']) {
    const w = simulation()
    await w.start()
    appendServiceEvent(w, 'ClientMessageReceived', 'm1')
    w.command(botMessage('c0', { inReplyTo: 'm1' }))
    await w.time.pass(500)
    appendServiceEvent(w, 'ClientMessageReceived', 'm2')
    await w.time.pass(500)
    w.log.append('bot-replies', 'acme/2037', { ...command, inReplyTo })
    await w.time.pass(aMinute)
    assert.equal(sent(w), [
      ['c0', 0],
      ['watchdog-m2', inReplyTo === 'm1' ? 10_500 : 1000],
    ])
    assert.equal(publishedBy(w).slice(1, 3), [
      ['BotReplyFailed', 'invalid'],
      ['BotReplyDelivered', inReplyTo === 'm1' ? 'no-reply-in-time' : 'delivery-failed'],
    ])
  }
})

test('while the service is unavailable the invitation waits with the reply, and only one of them is delivered', async () => {
  const w: ReturnType<typeof simulation> = simulation({
    answer: () => ({ result: w.time.monotonic() < 100_000 ? networkFailure('ECONNREFUSED') : ok }),
  })
  await w.start()
  for (let i = 0; i < 20; i += 1) appendServiceEvent(w, 'ClientMessageReceived', `m${i}`, `chat-${i}`)
  for (let i = 0; i < 10; i += 1) w.command(botMessage(`c${i}`, { chatId: `chat-${i}`, inReplyTo: `m${i}` }))
  await w.time.pass(5 * aMinute)
  assert.is(new Set(w.applied).size, 20)
  assert.is(w.applied.length, 20)
  assert.equal(
    w.applied.map((id) => id.replace(/^(c|watchdog-m)/, '')).sort((a, b) => Number(a) - Number(b)),
    Array.from({ length: 20 }, (_, i) => String(i)),
  )
})

for (const [what, refusal] of Object.entries({ '503': answer(503), '401': answer(401), '400': answer(400) }))
  test(`an invitation that the service answers with ${what} for six minutes is delivered when the service is well`, async () => {
    const w: ReturnType<typeof simulation> = simulation({
      accounts: [account({ deadlineMs: 30_000, attempts: 2 })],
      answer: () => ({ result: w.time.monotonic() < 6 * aMinute ? refusal : ok }),
    })
    await w.start()
    appendServiceEvent(w, 'ClientMessageReceived', 'm1')
    await w.time.pass(6 * aMinute)
    assert.equal(publishedBy(w), [])
    await w.time.pass(aMinute)
    assert.equal(w.applied, ['watchdog-m1'])
  })

test('an invitation that cannot be delivered ends after a day', async () => {
  const w = simulation({ answer: () => ({ result: answer(400) }) })
  await w.start()
  appendServiceEvent(w, 'ClientMessageReceived', 'm1')
  await w.time.pass(23 * 60 * aMinute)
  assert.equal(publishedBy(w), [])
  await w.time.pass(2 * 60 * aMinute)
  assert.equal(publishedBy(w), [['BotReplyFailed', 'deadline']])
})

test('without Kafka the invitation is still sent, and its outcome is published when Kafka is available again', async () => {
  const w = simulation()
  await w.start()
  appendServiceEvent(w, 'ClientMessageReceived', 'm1')
  await w.time.pass(5000)
  w.broker.isAway = true
  await w.time.pass(aMinute)
  assert.equal(
    sent(w).map(([id]) => id),
    ['watchdog-m1'],
  )
  w.broker.isAway = false
  await w.time.pass(aMinute)
  assert.equal(
    publishedBy(w).map(([type]) => type),
    ['BotReplyDelivered', 'AgentInvited'],
  )
})

test('without MongoDB the tail alone decides', async () => {
  const w = simulation({
    ports: {
      readDocument: async () => {
        throw new Error('away')
      },
      openTurns: async () => {
        throw new Error('away')
      },
    },
  })
  await w.start()
  appendServiceEvent(w, 'ClientMessageReceived', 'm1')
  appendServiceEvent(w, 'ClientMessageReceived', 'm2', '2038')
  appendServiceEvent(w, 'AgentJoined', 'j2', '2038')
  await w.time.pass(aMinute)
  assert.equal(
    sent(w).map(([id]) => id),
    ['watchdog-m1'],
  )
})

test('after a restart the turns that only the views have are found, and keep their times', async () => {
  const w = simulation()
  const first = await w.start()
  appendServiceEvent(w, 'ClientMessageReceived', 'm1', 'a')
  appendServiceEvent(w, 'ClientMessageReceived', 'm2', 'b')
  w.command(botMessage('c2', { chatId: 'b', inReplyTo: 'm2' }))
  appendServiceEvent(w, 'ClientMessageReceived', 'm3', 'c')
  await w.time.pass(2000)
  first.lose()
  projected(w, w.log.events.length)
  await w.start()
  await w.time.pass(aMinute)
  assert.equal(sent(w).slice(1), [
    ['watchdog-m1', 10_000],
    ['watchdog-m3', 10_000],
  ])
})

test('an invitation that became due while no worker ran is delayed a little, so that a waiting reply goes first', async () => {
  const w = simulation()
  appendServiceEvent(w, 'ClientMessageReceived', 'm1', 'a')
  appendServiceEvent(w, 'ClientMessageReceived', 'm2', 'b')
  projected(w, 1)
  await w.time.pass(aMinute)
  w.command(botMessage('c2', { chatId: 'b', inReplyTo: 'm2' }))
  await w.start()
  await w.time.pass(aMinute)
  assert.equal(sent(w), [
    ['c2', 60_000],
    ['watchdog-m1', 63_500],
  ])
})

test('an attempt that a crash interrupted is repeated under its id, and one with a published outcome is not', async () => {
  for (const crashAt of [10_005, 10_100]) {
    const w = simulation()
    const first = await w.start()
    appendServiceEvent(w, 'ClientMessageReceived', 'm1')
    await w.time.pass(crashAt)
    if (crashAt === 10_005) first.die()
    else first.lose()
    await w.start()
    await w.time.pass(aMinute)
    assert.equal(
      sent(w).map(([id]) => id),
      crashAt === 10_005 ? ['watchdog-m1', 'watchdog-m1'] : ['watchdog-m1'],
    )
  }
})

test('a worker that has lost its partition invites no agent', async () => {
  const w = simulation()
  const worker = await w.start()
  appendServiceEvent(w, 'ClientMessageReceived', 'm1')
  await w.time.pass(5000)
  worker.lose()
  await w.time.pass(aMinute)
  assert.equal(sent(w), [])
})

test('stop lets a running invitation end and publishes its outcome, and starts no other', async () => {
  const w = simulation({ answer: () => ({ result: ok, afterMs: 1000 }) })
  const worker = await w.start()
  appendServiceEvent(w, 'ClientMessageReceived', 'm1', 'a')
  await w.time.pass(5000)
  appendServiceEvent(w, 'ClientMessageReceived', 'm2', 'b')
  await w.time.until(() => w.requests.length === 1)
  await w.time.resolved(worker.stop())
  await w.time.pass(aMinute)
  assert.equal([sent(w), publishedBy(w).length], [[['watchdog-m1', 10_000]], 2])
})

test('no agent is invited before the log has been read to its end', async () => {
  const w = simulation()
  appendServiceEvent(w, 'ClientMessageReceived', 'm1')
  await w.time.pass(aMinute)
  const first = await w.start()
  w.command(botMessage('c1', { inReplyTo: 'm1' }))
  await w.time.until(w.isDone)
  first.lose()

  w.broker.hidesEvents = true
  const { spec, owned } = await w.start()
  const records = w.log.records['bot-conversations']
  const read = (...some: typeof records) =>
    spec.handle({ topic: 'bot-conversations', partition: 0, records: some }, owned['bot-conversations'].partition)
  await read(...records.slice(0, 1))
  await w.time.pass(aMinute)
  await read(...records.slice(1))
  await w.time.pass(aMinute)
  assert.equal(
    sent(w).map(([id]) => id),
    ['c1'],
  )
})

test('an outcome that is in the log twice does not answer a newer message', async () => {
  const w = simulation()
  await w.start()
  appendServiceEvent(w, 'ClientMessageReceived', 'm1')
  w.command(botMessage('c1'))
  await w.time.until(w.isDone)
  appendServiceEvent(w, 'ClientMessageReceived', 'm2')
  await w.time.settle()
  const [outcome] = w.outcomes()
  if (outcome !== undefined) w.log.appendEvent(outcome)
  await w.time.pass(aMinute)
  assert.equal(
    sent(w).map(([id]) => id),
    ['c1', 'watchdog-m2'],
  )
})

test('a check that throws is repeated', async () => {
  let readings = 0
  const w: ReturnType<typeof simulation> = simulation({
    ports: {
      now: () => {
        if (w.time.monotonic() === 10_000 && readings === 0) {
          readings += 1
          throw new Error('a bug')
        }
        return w.time.now()
      },
    },
  })
  await w.start()
  appendServiceEvent(w, 'ClientMessageReceived', 'm1')
  await w.time.pass(aMinute)
  assert.is(w.requests.length, 1)
})

test.run()
