import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { BotReply } from '../../../contracts/commands/bot-reply.ts'
import type { AccountId } from '../../../contracts/primitives.ts'
import { simulation } from './support/simulation.ts'
import { account, answer, botMessage, inviteAgent, ok, serviceEvent } from './support/values.ts'

const test = suite('accounts do not delay each other')

const stuckId = 'stuck' as AccountId
const patient = { deadlineMs: 86_000_000, attempts: 1_000 }
const accounts = [
  account(patient),
  { ...account({ ...patient, baseUrl: 'https://stuck.example.com', providerId: 'stuck' }), id: stuckId },
]
const ofStuck = (reply: BotReply): BotReply => ({ ...reply, accountId: stuckId })

/** The service of the account `stuck` fails until it is well. */
const world = (service = { isWell: false }) => {
  const w = simulation({
    accounts,
    answer: ({ id }) => ({ result: !id.startsWith('s') || service.isWell ? ok : answer(503), afterMs: 5 }),
  })
  const stuck = (count: number, chats: number) => {
    for (let i = 0; i < count; i += 1) w.command(ofStuck(botMessage(`s${i}`, { chatId: `chat-${i % chats}` })))
  }
  return { w, service, stuck }
}

for (const count of [2_000, 10_000])
  test(`with ${count} stuck replies of one account, a reply of another account is sent at once`, async () => {
    const { w, stuck } = world()
    const worker = await w.start()
    stuck(count, 500)
    w.command(botMessage('healthy'))
    await w.time.until(() => w.applied.includes('healthy'))
    const sentAt = w.time.monotonic()
    w.command(botMessage('later'))
    await w.time.until(() => w.applied.includes('later'))
    assert.equal(
      [
        sentAt,
        w.time.monotonic() - sentAt <= 10,
        worker.owned['bot-replies'].isPaused(),
        w.log.committed['bot-replies'],
      ],
      [0, true, false, 0],
    )
    assert.equal(
      worker.gates().map(({ account: id, deferred = 0 }) => [id, deferred]),
      [
        ['stuck', count - 1_000],
        ['acme', 0],
      ],
    )
  })

test('newer replies of an account that has room only for older ones wait behind them', async () => {
  const { w, stuck } = world({ isWell: true })
  await w.start()
  stuck(1_100, 1_100)
  await w.time.settle()
  w.command(ofStuck(botMessage('s-newest', { chatId: 'another' })))
  await w.time.until(w.isDone)
  assert.ok(w.applied.indexOf('s-newest') > w.applied.indexOf('s1050'))
})

test('after an outage, deferred replies begin slowly and are all sent within half a minute, in the order of each chat', async () => {
  const { w, service, stuck } = world()
  await w.start()
  stuck(2_500, 125)
  await w.time.pass(30_000)
  service.isWell = true
  const attemptsBefore = w.requests.length
  const isBackAt = w.time.monotonic()
  await w.time.until(w.isDone)
  const after = w.requests.slice(attemptsBefore)
  const firstAt = after[0]?.at ?? 0
  const ofFirstSecond = after.filter(({ at }) => at < firstAt + 1_000)
  const sentWithinMs = w.time.monotonic() - isBackAt
  assert.ok(ofFirstSecond.length < 20, `${ofFirstSecond.length} attempts in the first second`)
  assert.ok(sentWithinMs < 30_000, `sent within ${sentWithinMs} ms`)
  const ofChats = Map.groupBy(w.applied, (id) => Number(id.slice(1)) % 125)
  assert.equal(
    ofChats,
    new Map([...ofChats.keys()].map((chat) => [chat, Array.from({ length: 20 }, (_, i) => `s${chat + i * 125}`)])),
  )
  assert.is(ofChats.size, 125)
})

test('a stuck chat keeps twenty replies of its account in progress, and no other chat waits for the rest', async () => {
  const w = simulation({
    accounts,
    answer: ({ chat_id }) => ({ result: chat_id === 'stuck' ? answer(500) : ok, afterMs: 1 }),
  })
  const worker = await w.start()
  for (let i = 0; i < 1_500; i += 1) w.command(botMessage(`s${i}`, { chatId: 'stuck' }))
  for (let i = 0; i < 50; i += 1) w.command(botMessage(`h${i}`, { chatId: 'healthy' }))
  await w.time.until(() => w.applied.length === 50)
  assert.is(worker.owned['bot-replies'].isPaused(), false)
  assert.equal(
    worker.gates().map(({ deferred }) => deferred),
    [1_480],
  )
})

test('records whose key names no account of this bridge have a bound of their own', async () => {
  const { w } = world()
  const worker = await w.start()
  w.broker.isAway = true
  for (let i = 0; i < 1_500; i += 1) w.log.append('bot-replies', `nobody-${i}/1`, 'no command')
  await w.time.settle()
  w.broker.isAway = false
  w.command(botMessage('healthy'))
  await w.time.until(() => w.applied.includes('healthy'))
  await w.time.until(w.isDone)
  assert.equal([w.deadLetters.length, worker.owned['bot-replies'].isPaused()], [1_500, false])
})

test('the next owner of a partition sends what was deferred, and what another account was sent is not repeated', async () => {
  const { w, service, stuck } = world()
  const first = await w.start()
  stuck(1_200, 300)
  for (let i = 0; i < 30; i += 1) w.command(botMessage(`h${i}`, { chatId: `h-${i}` }))
  await w.time.until(() => w.outcomes().length === 30)
  first.lose()
  service.isWell = true
  await w.start()
  await w.time.until(w.isDone)
  assert.equal([w.applied.length, new Set(w.applied).size], [1_230, 1_230])
})

test('a worker that has lost its partition fetches nothing more', async () => {
  const { w, stuck } = world()
  const worker = await w.start()
  stuck(2_000, 500)
  await w.time.pass(10_000)
  worker.lose()
  await w.time.resolved(worker.stop())
  const before = w.fetches.length
  await w.time.pass(60_000)
  assert.is(w.fetches.length, before)
})

test('while Kafka does not answer, deferred replies wait; then they are sent', async () => {
  const { w, stuck } = world({ isWell: true })
  await w.start()
  stuck(1_200, 1_200)
  await w.time.settle()
  w.broker.isAway = true
  await w.time.pass(30_000)
  assert.is(new Set(w.applied).size, 1_000)
  w.broker.isAway = false
  await w.time.until(w.isDone)
  assert.is(new Set(w.applied).size, 1_200)
})

test('of a deferred reply that the log has deleted, the outcome says so, and its client gets an agent', async () => {
  const { w, stuck } = world({ isWell: true })
  await w.start()
  w.log.appendEvent(serviceEvent('ClientMessageReceived', 'm1'))
  const waiting = { ...serviceEvent('ClientMessageReceived', 'm2', undefined, 'last') }
  w.log.appendEvent({ ...waiting, data: { ...waiting.data, accountId: stuckId } } as typeof waiting)
  stuck(1_100, 1_100)
  w.command(ofStuck(botMessage('s-last', { chatId: 'last' })))
  await w.time.settle()
  w.broker.logBegins = w.log.records['bot-replies'].length
  await w.time.until(w.isDone)
  await w.time.until(() => w.requests.some(({ body }) => body.event === 'INVITE_AGENT' && body.chat_id === 'last'))
  const gone = w.outcomes().find(({ data }) => data.commandId === 'unnamed-0-1100')
  assert.equal(
    [gone?.type, gone?.subject, gone?.type === 'BotReplyFailed' && [gone.data.reason, gone.data.commandType]],
    ['BotReplyFailed', 'last', ['gone', 'unknown']],
  )
  assert.is(new Set(w.applied.filter((id) => id.startsWith('s'))).size, 1_000)
})

test('a deferred hand-over that the log has deleted brings an agent, also after an answer', async () => {
  const { w, stuck } = world({ isWell: true })
  await w.start()
  const told = serviceEvent('ClientMessageReceived', 'm1', undefined, 'last')
  w.log.appendEvent({ ...told, data: { ...told.data, accountId: stuckId } } as typeof told)
  w.command(ofStuck(botMessage('h-answer', { chatId: 'last', inReplyTo: 'm1' })))
  await w.time.until(() => w.applied.includes('h-answer'))
  stuck(1_100, 1_100)
  w.command(ofStuck(inviteAgent('s-hand-over', 'last')))
  await w.time.settle()
  w.broker.logBegins = w.log.records['bot-replies'].length
  await w.time.until(w.isDone)
  await w.time.until(() => w.requests.some(({ body }) => body.event === 'INVITE_AGENT' && body.chat_id === 'last'))
})

test('a record that took the offset of a deferred command, in a log that lost its end, is not sent', async () => {
  const { w, stuck } = world({ isWell: true })
  const worker = await w.start()
  stuck(1_200, 1_200)
  await w.time.settle()
  const records = w.log.records['bot-replies']
  for (let offset = 1_100; offset < 1_200; offset += 1) {
    const record = records[offset]
    if (record !== undefined) records[offset] = { ...record, epoch: 7 }
  }
  await w.time.until(() => w.applied.length >= 1_100)
  await w.time.pass(60_000)
  assert.is(new Set(w.applied).size, 1_100)
  worker.lose()
  await w.start()
  await w.time.until(w.isDone)
  assert.is(new Set(w.applied).size, 1_200)
})

test('large replies of one account take half of the memory at most, and those of others still begin', async () => {
  const w = simulation({
    accounts,
    answer: ({ id }) => ({ result: ok, afterMs: id.startsWith('s') ? 2_000 : 5 }),
  })
  const worker = await w.start()
  // Three bytes a character.
  const text = '漢'.repeat(65_536)
  const large = (id: string, chatId: string) =>
    ({ ...botMessage(id, { chatId }), message: { type: 'TEXT', text } }) as BotReply
  for (let i = 0; i < 180; i += 1) w.command(ofStuck(large(`s${i}`, `chat-${i}`)))
  for (let i = 0; i < 3; i += 1) w.command(large(`h${i}`, `chat-${i}`))
  await w.time.until(() => w.applied.filter((id) => id.startsWith('h')).length === 3)
  const [stuck = 0, healthy = 0] = worker.gates().map(({ deferred }) => deferred)
  assert.equal([worker.owned['bot-replies'].isPaused(), healthy], [false, 0])
  assert.ok(stuck >= 5 && stuck <= 15, `${stuck} of 180 are deferred`)
  await w.time.until(w.isDone)
  assert.is(new Set(w.applied).size, 183)
})

test.run()
