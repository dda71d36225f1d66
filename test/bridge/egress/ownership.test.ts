import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ConversationEvent } from '../../../contracts/events/index.ts'
import { project } from './support/project.ts'
import { simulation } from './support/simulation.ts'
import { answer, botMessage, ok, serviceEvent } from './support/values.ts'

const test = suite('ownership, restarts and stopping')

test('a delivered outcome that only the views have prevents a second delivery', async () => {
  const w = simulation()
  w.views.set('deliveries/acme/2037/c1', { state: 'delivered' } as never)
  w.views.set('deliveries/acme/2037/c2', { state: 'failed', reason: 'invalid' } as never)
  w.views.set('deliveries/acme/2037/c3', { state: 'pending' } as never)
  await w.start()
  for (const command of ['c1', 'c2', 'c3']) w.command(botMessage(command))
  await w.time.until(w.isDone)
  assert.equal(w.applied, ['c2', 'c3'])
})

test('commands that wait when their partition is lost are dropped without effect', async () => {
  const w = simulation({ answer: () => ({ result: answer(500) }) })
  const worker = await w.start()
  w.command(botMessage('c1'))
  w.command(botMessage('c2'))
  await w.time.until(() => w.requests.length === 1)
  worker.lose()
  await w.time.resolved(worker.stop())
  assert.equal([w.requests.length, w.outcomes(), w.log.committed['bot-replies']], [1, [], 0])
})

test('a delivery that ends after its partition was lost is published, so that no other worker repeats it', async () => {
  const w = simulation({ answer: () => ({ result: ok, afterMs: 100 }) })
  const worker = await w.start()
  w.command(botMessage('c1'))
  await w.time.until(() => w.requests.length === 1)
  worker.lose()
  await w.time.until(() => w.outcomes().length === 1)
  assert.is(w.log.committed['bot-replies'], 0)
  await w.start()
  await w.time.until(w.isDone)
  assert.is(w.requests.length, 1)
})

test('a final refusal that arrives after its partition was lost is left to the new owner', async () => {
  const w = simulation({ answer: () => ({ result: answer(400), afterMs: 100 }) })
  const worker = await w.start()
  w.command(botMessage('c1'))
  await w.time.until(() => w.requests.length === 1)
  worker.lose()
  await w.time.resolved(worker.stop())
  assert.equal([w.outcomes(), w.log.committed['bot-replies']], [[], 0])
})

test('a partition that returns to the same worker continues at once with its state', async () => {
  const w = simulation({ answer: (_, nth) => ({ result: nth === 0 ? answer(503, '', '60') : ok }) })
  const worker = await w.start()
  w.command(botMessage('c1'))
  await w.time.until(() => w.requests.length === 1)
  await w.time.pass(100)
  worker.lose()
  const again = { isCurrent: () => true, done: () => undefined, pause: () => () => undefined }
  await worker.spec.startAt?.('bot-conversations', 0)
  await worker.spec.handle({ topic: 'bot-replies', partition: 0, records: w.log.records['bot-replies'] }, again)
  await w.time.until(() => w.outcomes().length === 1)
  assert.equal(w.applied, ['c1'])
  assert.ok(w.time.monotonic() < 2000)
})

test('stop lets the current attempt end, publishes its outcome, and leaves the rest', async () => {
  const w = simulation({ answer: () => ({ result: ok, afterMs: 1000 }) })
  const worker = await w.start()
  w.command(botMessage('c1'))
  w.command(botMessage('c2'))
  await w.time.until(() => w.requests.length === 1)
  await w.time.resolved(worker.stop())
  assert.equal([w.applied, w.outcomes().length, w.log.committed['bot-replies']], [['c1'], 1, 1])
  assert.is(w.time.monotonic(), 1000)
})

test('stop abandons a back-off', async () => {
  const w = simulation({ answer: () => ({ result: answer(503, '', '60') }) })
  const worker = await w.start()
  w.command(botMessage('c1'))
  await w.time.until(() => w.requests.length === 1)
  await w.time.pass(100)
  await w.time.resolved(worker.stop())
  assert.equal([w.outcomes(), w.log.committed['bot-replies'], w.time.monotonic()], [[], 0, 100])
})

test('while the broker is unavailable nothing is finished, and health reports it', async () => {
  const w = simulation()
  const worker = await w.start()
  w.broker.isAway = true
  w.command(botMessage('c1'))
  await w.time.pass(40_000)
  assert.equal([w.applied, w.log.committed['bot-replies']], [['c1'], 0])
  assert.equal(await worker.health(), { ok: false, reason: '1 outcomes of replies cannot be published' })
  w.broker.isAway = false
  await w.time.until(w.isDone)
  assert.is(w.requests.length, 1)
  assert.equal(await worker.health(), { ok: true, reason: 'outcomes of replies are published' })
})

test('facts that the views contain are evicted from the tail, and the fence still works', async () => {
  const w = simulation({ answer: (_, nth) => ({ result: nth === 0 ? answer(503, '', '30') : ok }) })
  await w.start()
  w.command(botMessage('c1'))
  await w.time.until(() => w.requests.length === 1)
  w.log.appendEvent(serviceEvent('AgentJoined', 'j1'))
  await w.time.pass(11_000)
  const { conversations } = project([serviceEvent('AgentJoined', 'j1')] as ReadonlyArray<ConversationEvent>)
  for (const [id, document] of conversations) w.views.set(`conversations/${id}`, document)
  w.projector.committed = 1
  w.log.appendEvent(serviceEvent('ClientMessageReceived', 'm1'))
  await w.time.until(w.isDone)
  assert.equal([w.requests.length, w.outcomes()[0]?.type], [1, 'BotReplySuppressed'])
})

test.run()
