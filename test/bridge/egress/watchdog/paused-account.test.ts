import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Answer, simulation } from '../support/simulation.ts'
import { appendServiceEvent, publishedBy, sent } from '../support/talk.ts'
import { account, answer, botMessage, ok } from '../support/values.ts'

const test = suite('the watchdog while the service requests a pause')

const aMinute = 60_000
const pause: Answer = { result: answer(429, '', '999999999') }

/** The service answers the first reply, which goes to another chat, with a pause of five minutes or more. */
const paused = async (answerTo: (event: string, id: string, nth: number) => Answer) => {
  const w = simulation({
    accounts: [account({ deadlineMs: 3_600_000 })],
    answer: ({ event, id }, nth) => (id === 'first' ? pause : answerTo(event, id, nth)),
  })
  await w.start()
  w.command(botMessage('first', { chatId: 'other' }))
  await w.time.until(() => w.requests.length === 1)
  await w.time.pass(1000)
  return w
}
const invitations = (w: ReturnType<typeof simulation>) => sent(w).filter(([id]) => id.startsWith('watchdog'))

test('a waiting client is handed over within 30 s of the pause, even if the reply waits longer', async () => {
  const w = await paused((event) => (event === 'INVITE_AGENT' ? { result: ok } : pause))
  appendServiceEvent(w, 'ClientMessageReceived', 'm1')
  await w.time.pass(1000)
  w.command(botMessage('c1', { inReplyTo: 'm1' }))
  await w.time.pass(aMinute)
  assert.equal(sent(w).slice(1), [['watchdog-m1', 30_010]])
  await w.time.pass(5 * aMinute)
  assert.equal(publishedBy(w).slice(0, 3), [
    ['BotReplyDelivered', 'no-reply-in-time'],
    ['AgentInvited', 'no-reply-in-time'],
    ['BotReplySuppressed', 'agent-invited'],
  ])
})

test('while the service refuses, one invitation is sent every 30 s, for each client in turn, and no reply', async () => {
  const w = await paused(() => pause)
  for (const chat of ['a', 'b']) appendServiceEvent(w, 'ClientMessageReceived', `m-${chat}`, chat)
  await w.time.pass(4 * aMinute)
  const times = invitations(w).map(([, at]) => at)
  assert.is(sent(w).length, 1 + times.length)
  assert.ok(times.every((at, i) => at - (times[i - 1] ?? 0) <= 30_100))
  assert.ok(times.every((at, i) => at - (times[i - 1] ?? 0) >= 30_000))
  assert.equal(
    invitations(w).map(([id]) => id),
    times.map((_, i) => `watchdog-m-${i % 2 === 0 ? 'a' : 'b'}`),
  )
})

test('after the service accepts an invitation, the other invitations follow at once, and replies still wait', async () => {
  const w = await paused((event) => (event === 'INVITE_AGENT' ? { result: ok } : pause))
  const chats = ['a', 'b', 'c']
  for (const chat of chats) {
    appendServiceEvent(w, 'ClientMessageReceived', `m-${chat}`, chat)
    w.command(botMessage(`c-${chat}`, { chatId: chat, inReplyTo: `m-${chat}` }))
  }
  await w.time.pass(aMinute)
  assert.equal(
    sent(w)
      .slice(1)
      .map(([id]) => id)
      .sort(),
    chats.map((chat) => `watchdog-m-${chat}`),
  )
})

test('many replies that wait for the end of the pause do not delay an invitation', async () => {
  const w = await paused((event) => (event === 'INVITE_AGENT' ? { result: ok } : pause))
  for (let i = 0; i < 200; i += 1) w.command(botMessage(`c${i}`, { chatId: `chat-${i}` }))
  appendServiceEvent(w, 'ClientMessageReceived', 'm1')
  await w.time.pass(aMinute)
  assert.equal(sent(w).slice(1), [['watchdog-m1', 30_010]])
})

test('invitations wait for the end of a short pause too', async () => {
  const w = simulation({
    answer: ({ id }, nth) => ({ result: id === 'first' && nth === 0 ? answer(429, '', '20') : ok }),
  })
  await w.start()
  appendServiceEvent(w, 'ClientMessageReceived', 'm1')
  await w.time.pass(5000)
  w.command(botMessage('first', { chatId: 'other' }))
  await w.time.pass(aMinute)
  assert.ok(
    sent(w)
      .slice(1)
      .every(([, at]) => at >= 25_010),
  )
  assert.is(invitations(w).length, 1)
})

test.run()
