import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { simulation } from './support/simulation.ts'
import { answer, botMessage, inviteAgent, networkFailure, ok, serviceEvent } from './support/values.ts'

const test = suite('fencing')

type Simulation = ReturnType<typeof simulation>
const reasons = (w: Simulation) =>
  w.outcomes().map((event) => (event.type === 'BotReplySuppressed' ? event.data.reason : event.type))

test('an event that is in the log before the command counts, even if the worker reads it late', async () => {
  const w = simulation()
  await w.start()
  w.broker.hidesEvents = true
  w.log.appendEvent(serviceEvent('AgentJoined', 'j1'))
  w.command(botMessage('c1'))
  await w.time.settle()
  assert.is(w.requests.length, 0)
  w.broker.hidesEvents = false
  await w.time.until(w.isDone)
  assert.equal([reasons(w), w.requests.length], [['agent-joined'], 0])
})

test('if the log cannot be read for a second, the client still gets the reply', async () => {
  const w = simulation()
  await w.start()
  w.broker.hidesEvents = true
  w.log.appendEvent(serviceEvent('ClientMessageReceived', 'm1'))
  w.command(botMessage('c1'))
  await w.time.until(w.isDone)
  assert.equal([w.requests.map(({ at }) => at), reasons(w)], [[1000], ['BotReplyDelivered']])
})

test('an agent who joins between two attempts prevents the second', async () => {
  const w = simulation({ answer: () => ({ result: answer(503, '', '5') }) })
  await w.start()
  w.command(botMessage('c1'))
  await w.time.until(() => w.requests.length === 1)
  w.log.appendEvent(serviceEvent('AgentJoined', 'j1'))
  await w.time.until(w.isDone)
  assert.equal([w.requests.length, reasons(w)], [1, ['agent-joined']])
  assert.is(w.outcomes()[0]?.data.attempts.length, 1)
})

test('an agent who joins while the circuit breaker is open prevents the waiting reply', async () => {
  const w: Simulation = simulation({
    answer: ({ chat_id }) => ({ result: chat_id !== '2037' && w.time.monotonic() < 900 ? networkFailure('x') : ok }),
  })
  await w.start()
  for (let i = 0; i < 20; i += 1) w.command(botMessage(`b${i}`, { chatId: `chat-${i}` }))
  await w.time.pass(50)
  w.command(botMessage('c1'))
  await w.time.settle()
  w.log.appendEvent(serviceEvent('AgentJoined', 'j1'))
  await w.time.until(w.isDone)
  assert.equal(
    w.requests.some(({ body }) => body.id === 'c1'),
    false,
  )
})

test('replies after a delivered invitation are suppressed, even before the log has the outcome', async () => {
  const w = simulation()
  await w.start()
  w.command(inviteAgent('i1'))
  w.command(botMessage('c1'))
  w.command(inviteAgent('i2'))
  w.broker.hidesEvents = true
  await w.time.until(w.isDone)
  assert.equal(reasons(w), ['BotReplyDelivered', 'agent-invited', 'agent-invited'])
})

test('if AGENT_UNAVAILABLE arrives before the outcome of its invitation, the bot may still ask for contact details', async () => {
  const w: Simulation = simulation({ answer: () => ({ result: ok, afterMs: 100 }) })
  await w.start()
  w.command(inviteAgent('i1'))
  await w.time.until(() => w.requests.length === 1)
  await w.time.pass(50)
  w.log.appendEvent(serviceEvent('AgentUnavailable', 'u1', w.time.now()))
  await w.time.until(w.isDone)
  w.command(botMessage('c1'))
  await w.time.until(w.isDone)
  assert.equal(reasons(w), ['BotReplyDelivered', 'BotReplyDelivered'])
})

test('without MongoDB the tail of the log decides alone, after a wait of two seconds', async () => {
  const w = simulation({
    ports: {
      readDocument: async () => {
        throw new Error('away')
      },
    },
  })
  w.log.appendEvent(serviceEvent('AgentJoined', 'j1', undefined, '2038'))
  await w.start()
  w.command(botMessage('c1'))
  w.command(botMessage('c2', { chatId: '2038' }))
  await w.time.until(w.isDone)
  assert.equal(w.applied, ['c1'])
  assert.equal(
    w.requests.map(({ at }) => at),
    [2000],
  )
})

test.run()
