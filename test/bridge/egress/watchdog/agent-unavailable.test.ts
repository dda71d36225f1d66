import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Simulation, simulation } from '../support/simulation.ts'
import {
  appendServiceEvent,
  botReplies,
  played,
  projected,
  publishedBy,
  type Step,
  sent,
  serviceTells,
} from '../support/talk.ts'
import { account, answer, botMessage, inviteAgent, networkFailure, ok } from '../support/values.ts'

const test = suite('AGENT_UNAVAILABLE')

const aMinute = 60_000
const accounts = [account({ agentUnavailableText: 'Leave us your number, please.' })]

test('the text of the account is sent once if the bot does not reply', async () => {
  const w = simulation({ accounts })
  await w.start()
  appendServiceEvent(w, 'ClientMessageReceived', 'm1')
  await w.time.until(() => w.requests.length === 1)
  await w.time.pass(1000)
  appendServiceEvent(w, 'AgentUnavailable', 'u1')
  await w.time.pass(5 * aMinute)
  assert.equal(sent(w), [
    ['watchdog-m1', 10_000],
    ['watchdog-u1', 21_000],
  ])
  assert.match(w.requests[1]?.request.body ?? '', 'Leave us your number, please.')
  assert.equal(publishedBy(w), [
    ['BotReplyDelivered', 'no-reply-in-time'],
    ['AgentInvited', 'no-reply-in-time'],
    ['BotReplyDelivered', 'agent-unavailable'],
  ])
})

const unavailable = serviceTells(0, 'AgentUnavailable', 'u1')
const stories: ReadonlyArray<readonly [string, ReadonlyArray<Step>, ReturnType<typeof sent>, typeof accounts?]> = [
  ['if the bot replies itself, the text is not sent', [unavailable, botReplies(5000, 'c1', 'u1')], [['c1', 5000]]],
  ['if an agent joins after all, the text is not sent', [unavailable, serviceTells(5000, 'AgentJoined', 'j1')], []],
  ['without a text nothing is sent', [unavailable], [], [account()]],
]
for (const [title, steps, expected, those = accounts] of stories)
  test(title, async () => {
    assert.equal(sent(await played(steps, { accounts: those })), expected)
  })

test('the text is sent once even across a restart', async () => {
  const w = simulation({ accounts })
  const first = await w.start()
  appendServiceEvent(w, 'AgentUnavailable', 'u1')
  await w.time.pass(1000)
  first.lose()
  projected(w, 1)
  await w.start()
  await w.time.pass(5 * aMinute)
  assert.equal(sent(w), [['watchdog-u1', 10_000]])
})

for (const [what, refusal] of Object.entries({
  'no answer': networkFailure('ECONNREFUSED'),
  '503': answer(503),
  '401': answer(401),
  '400': answer(400),
}))
  test(`the text is sent after ${what} for six minutes, once the service is well`, async () => {
    const w: Simulation = simulation({
      accounts: [account({ agentUnavailableText: 'Call us.', deadlineMs: 30_000, attempts: 2 })],
      answer: () => ({ result: w.time.monotonic() < 6 * aMinute ? refusal : ok }),
    })
    await w.start()
    appendServiceEvent(w, 'AgentUnavailable', 'u1')
    await w.time.pass(6 * aMinute)
    assert.equal(publishedBy(w), [])
    await w.time.pass(aMinute)
    assert.equal([w.applied, publishedBy(w)], [['watchdog-u1'], [['BotReplyDelivered', 'agent-unavailable']]])
  })

test('the text is sent by the next worker if the first one ended during an outage', async () => {
  const service = { isWell: false }
  const w = simulation({ accounts, answer: () => ({ result: service.isWell ? ok : answer(503) }) })
  const first = await w.start()
  appendServiceEvent(w, 'AgentUnavailable', 'u1')
  await w.time.pass(5 * aMinute)
  first.die()
  projected(w, w.log.events.length)
  await w.start()
  await w.time.pass(aMinute)
  service.isWell = true
  await w.time.pass(aMinute)
  assert.equal(w.applied, ['watchdog-u1'])
})

/** The service refuses what the bot sends in answer to AGENT_UNAVAILABLE, and answers each invitation with another one. */
const nobodyComes = async (
  settings: Parameters<typeof account>[0],
  botAnswers: (w: Simulation, about: string) => void,
) => {
  let n = 0
  const answered = new Set<string>()
  const w: Simulation = simulation({
    accounts: [account({ attempts: 2, ...settings })],
    answer: ({ id, event }) => {
      if (id.startsWith('c')) return { result: answer(400) }
      if (event === 'INVITE_AGENT') {
        n += 1
        void w.time.sleep(500).then(() => appendServiceEvent(w, 'AgentUnavailable', `u${n}`))
      }
      return { result: ok }
    },
  })
  await w.start()
  appendServiceEvent(w, 'ClientMessageReceived', 'm1')
  for (let i = 0; i < 600; i += 1) {
    await w.time.pass(100)
    for (const { type, id } of w.log.events)
      if (type === 'AgentUnavailable' && !answered.has(id)) {
        answered.add(id)
        botAnswers(w, id)
      }
  }
  return w
}
const failingAnswers: Readonly<Record<string, (w: Simulation, about: string) => void>> = {
  'an answer that names AGENT_UNAVAILABLE': (w, about) => w.command(botMessage(`c-${about}`, { inReplyTo: about })),
  'an answer that names nothing': (w, about) => w.command(botMessage(`c-${about}`)),
  'a hand-over': (w, about) => w.command(inviteAgent(`c-${about}`)),
  'an invalid command': (w, about) => {
    const ids = { id: `c-${about}`, accountId: 'acme', chatId: '2037', clientId: '1233', inReplyTo: about }
    w.log.append('bot-replies', 'acme/2037', {
      type: 'BotMessage',
      ...ids,
      message: { type: 'TEXT', text: ' ' },
    })
  },
}
const ofBridge = (w: Simulation) => w.requests.map(({ body }) => body.id).filter((each) => each.startsWith('watchdog'))
for (const [what, botAnswers] of Object.entries(failingAnswers)) {
  test(`${what} that fails leads to the text of the account, once for each AGENT_UNAVAILABLE`, async () => {
    const w = await nobodyComes({ agentUnavailableText: 'Call us.' }, botAnswers)
    assert.equal(ofBridge(w), ['watchdog-m1', 'watchdog-u1'])
  })
  test(`${what} that fails leads to one more invitation without a text, and to no third one`, async () => {
    const w = await nobodyComes({}, botAnswers)
    assert.equal(ofBridge(w), ['watchdog-m1', 'watchdog-u1'])
    // The client writes again: a new turn, with its own invitation and one more.
    appendServiceEvent(w, 'ClientMessageReceived', 'm2')
    await w.time.pass(15_000)
    botAnswers(w, 'u3')
    await w.time.pass(aMinute)
    assert.equal(ofBridge(w).slice(2, 4), ['watchdog-m2', 'watchdog-u3'])
  })
}

test.run()
