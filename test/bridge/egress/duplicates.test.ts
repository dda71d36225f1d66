import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { BotReply } from '../../../contracts/commands/bot-reply.ts'
import type { Instant } from '../../../contracts/primitives.ts'
import { silenceMs } from '../../../contracts/views/session.ts'
import { dated } from '../../../src/bridge/domain/dated.ts'
import { contentDigest, deliveryId } from '../../../src/bridge/domain/delivery.ts'
import { digestOf, outcomeEvent } from '../../../src/bridge/egress/delivery/outcome.ts'
import type { EgressPorts } from '../../../src/bridge/egress/ports.ts'
import { changesOfEvent } from '../../../src/bridge/views/changes.ts'
import { botReplies, instants } from './support/arbitraries.ts'
import { simulation } from './support/simulation.ts'
import { projected } from './support/talk.ts'
import { accountId, botMessage, id, inviteAgent, noMeasure, serviceEvent, silentLog } from './support/values.ts'

const test = suite('commands with an id that was used before')

const saying = (commandId: string, text: string): BotReply => ({
  ...botMessage(commandId),
  type: 'BotMessage',
  message: { type: 'TEXT', text },
})
const otherContents: Readonly<Record<string, BotReply>> = {
  'another text': saying('c1', 'something else'),
  'another client': { ...botMessage('c1'), clientId: id('1234') },
  'another message to answer': botMessage('c1', { inReplyTo: 'm1' }),
}

const observed = (ports: Partial<EgressPorts> = {}) => {
  const counted: Array<readonly [account: string, content: string]> = []
  const warned: object[] = []
  const w = simulation({
    ports: {
      measure: { ...noMeasure, duplicateCommand: (...given) => void counted.push(given) },
      log: { ...silentLog, warn: (fields) => void warned.push(fields) },
      ...ports,
    },
  })
  return { w, counted, warned }
}

for (const [what, again] of Object.entries(otherContents)) {
  for (const where of ['the log', 'the views'] as const) {
    test(`an id that is used again with ${what} is reported as a duplicate, found in ${where}`, async () => {
      const { w, counted, warned } = observed()
      const first = await w.start()
      w.command(botMessage('c1'))
      await w.time.until(w.isDone)
      if (where === 'the views') {
        projected(w, w.log.events.length)
        first.lose()
        await w.start()
      }
      w.command(again)
      await w.time.until(w.isDone)

      assert.equal(w.applied, ['c1'])
      const [, refused] = w.outcomes()
      assert.equal(refused?.type === 'BotReplyFailed' && [refused.id, refused.data], [
        'acme/2037/c1:refused-0-1',
        {
          accountId: 'acme',
          chatId: '2037',
          clientId: again.clientId,
          commandId: 'c1',
          commandType: again.type,
          attempts: [],
          requestedAt: '2026-01-31T12:00:00.010Z',
          reason: 'duplicate',
          detail: 'id: expected one that no other command of the chat has',
          ...(again.inReplyTo && { inReplyTo: again.inReplyTo }),
        },
      ])
      assert.equal([counted, w.deadLetters], [[['acme', 'other']], []])
      assert.equal(
        warned.map((fields) => ('cause' in fields ? fields.cause : undefined)),
        ['duplicate'],
      )
    })
  }
}

test('the same command again is delivered once, and nothing is reported', async () => {
  for (const where of ['the log', 'the views']) {
    const { w, counted } = observed()
    const first = await w.start()
    w.command(botMessage('c1'))
    await w.time.until(w.isDone)
    await w.time.pass(5000)
    if (where === 'the views') {
      projected(w, w.log.events.length)
      first.lose()
      await w.start()
    }
    w.command(botMessage('c1'))
    await w.time.until(w.isDone)
    assert.equal([w.applied, w.outcomes().length, counted], [['c1'], 1, []], where)
  }
})

test('an id that is used again while the content of the first command is unknown is logged and counted', async () => {
  const { w, counted, warned } = observed({
    publish: async (event) => {
      if ('message' in event.data) return E.left({ kind: 'too-large', reason: 'too large' })
      w.log.appendEvent(event)
      return E.right(undefined)
    },
  })
  await w.start()
  w.command(botMessage('c1'))
  await w.time.until(w.isDone)
  w.command(saying('c1', 'something else'))
  await w.time.until(w.isDone)
  assert.equal([w.applied, w.outcomes().length], [['c1'], 1])
  assert.equal(counted, [['acme', 'unknown']])
  assert.equal(warned.at(-1), { partition: 0, offset: 1, accountId: 'acme', commandId: 'c1' })
})

test('a message and a hand-over with one id are two commands', async () => {
  const { w, counted } = observed()
  await w.start()
  w.command(botMessage('c1'))
  w.command(inviteAgent('c1'))
  await w.time.until(w.isDone)
  assert.equal(w.applied, ['c1', 'c1'])
  assert.equal(
    w.outcomes().map((event) => event.id),
    ['acme/2037/c1:delivered', 'acme/2037/c1:invite:delivered'],
  )
  assert.equal(counted, [])
})

test('a slash in the id of a chat or a command never makes two commands equal', async () => {
  const w = simulation()
  const given = [
    ['1/2', '3'],
    ['1', '2/3'],
    ['1%2F2', '3'],
  ] as const
  await w.start()
  for (const [chatId, commandId] of given) w.command(botMessage(commandId, { chatId }))
  await w.time.until(w.isDone)
  assert.is(new Set(w.outcomes().map((event) => event.id)).size, 3)
  assert.is(
    new Set(
      given.map(([chatId, commandId]) =>
        deliveryId({ accountId, chatId: id(chatId), commandId: id(commandId), commandType: 'BotMessage' }),
      ),
    ).size,
    3,
  )
  assert.equal(
    w.outcomes().map(({ type }) => type),
    ['BotReplyDelivered', 'BotReplyDelivered', 'BotReplyDelivered'],
  )
})

test('any command has the digest of its document, at any time of append', () => {
  const noon = '2026-01-31T12:00:00.000Z' as Instant
  fc.assert(
    fc.property(botReplies, instants, instants, (command, one, other) => {
      const event = outcomeEvent({
        command,
        outcome: { kind: 'delivered' },
        attempts: [],
        requestedAt: one,
        time: noon,
      })
      const stored = changesOfEvent({ event: dated(event), topic: 'bot-conversations', partition: 0, offset: 0 })
        .filter(({ view }) => view === 'deliveries')
        .map(({ evolve }) => evolve(undefined)[0] as unknown as Parameters<typeof contentDigest>[0])
      assert.equal(stored.map(contentDigest), [digestOf(command, other)])
    }),
    { numRuns: 500 },
  )
})

for (const where of ['the log', 'the views'] as const)
  test(`a hand-over under the id of an earlier one brings an agent in a later conversation; the earlier one is in ${where}`, async () => {
    const { w } = observed()
    const first = await w.start()
    w.log.appendEvent(serviceEvent('ClientMessageReceived', 'm1'))
    w.command(inviteAgent('hand-over'))
    await w.time.until(w.isDone)
    w.log.appendEvent(serviceEvent('ChatClosed', 'x1', w.time.now()))
    w.log.appendEvent(serviceEvent('ClientMessageReceived', 'm2', w.time.now()))
    await w.time.settle()
    if (where === 'the views') {
      projected(w, w.log.events.length)
      first.lose()
      await w.start()
    }
    w.command(botMessage('answer', { inReplyTo: 'm2' }))
    w.command(inviteAgent('hand-over'))
    await w.time.until(() => w.outcomes().length === 4)
    assert.equal(
      w.outcomes().map((event) => [event.data.commandId, event.type === 'BotReplyFailed' && event.data.reason]),
      [
        ['hand-over', false],
        ['answer', false],
        ['hand-over', 'duplicate'],
        [w.requests.at(-1)?.body.id, false],
      ],
    )
  })

for (const event of [undefined, 'AgentJoined'] as const)
  test(`a hand-over that comes again after a day's silence brings an agent; before: ${event ?? 'nobody came'}`, async () => {
    const { w } = observed()
    await w.start()
    w.log.appendEvent(serviceEvent('ClientMessageReceived', 'm1', w.time.now()))
    w.command(inviteAgent('hand-over'))
    await w.time.until(w.isDone)
    if (event !== undefined) w.log.appendEvent(serviceEvent(event, 'j1', w.time.now()))
    await w.time.pass(silenceMs + 60_000)
    w.command(inviteAgent('hand-over'))
    await w.time.until(() => w.outcomes().length === 3)
    assert.equal(
      w.outcomes().map((event) => [event.data.commandId, event.type === 'BotReplyFailed' && event.data.reason]),
      [
        ['hand-over', false],
        ['hand-over', 'duplicate'],
        [w.requests.at(-1)?.body.id, false],
      ],
    )
    assert.is(w.requests.at(-1)?.body.event, 'INVITE_AGENT')
  })

test('a hand-over that comes again while the agent is awaited, or after a crash, is a repeat', async () => {
  const { w } = observed()
  const first = await w.start()
  w.log.appendEvent(serviceEvent('ClientMessageReceived', 'm1'))
  w.command(inviteAgent('hand-over'))
  await w.time.until(w.isDone)
  await w.time.pass(1_000)
  w.command(inviteAgent('hand-over'))
  await w.time.until(w.isDone)
  w.log.appendEvent(serviceEvent('ChatClosed', 'x1', w.time.now()))
  w.log.appendEvent(serviceEvent('ClientMessageReceived', 'm2', w.time.now()))
  await w.time.settle()
  first.lose()
  w.log.committed['bot-replies'] = 0
  w.log.records['bot-replies'].splice(1)
  await w.start()
  await w.time.until(w.isDone)
  assert.equal(
    w.outcomes().map(({ type }) => type),
    ['BotReplyDelivered'],
  )
})

test.run()
